import { RollstreamError } from '../../errors.ts';
import type { LoadedTokenizer } from '../../tokenizers/load-tokenizer.ts';
import { createRenderer, type RenderInput } from '../../tokenizers/template/create-renderer.ts';

/** A tokenizer as the engine uses it: lists of ids, and texts in which what is no whole character is U+FFFD. */
export interface Vocabulary {
  readonly sha256: string;
  readonly size: number;
  readonly has: (id: number) => boolean;
  /** Left out of texts that skip special tokens. */
  readonly isSpecial: (id: number) => boolean;
  readonly idOf: (content: string) => number | null;
  readonly encode: (text: string) => number[];
  readonly bytes: (ids: readonly number[]) => Uint8Array;
  readonly text: (ids: readonly number[]) => string;
  /** At least one; the first is what a turn ends with, others end it too. */
  readonly eosIds: readonly number[];
  /** What the template writes before an assistant's turn: `<|im_start|>assistant\n`. */
  readonly assistantOpening: string;
  readonly render: (input: RenderInput) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Ends of a generation beside the one of the configuration, where generation_config.json is not in the folder. */
const OTHER_ENDS = ['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|end_of_text|>', '<|eom_id|>', '</s>'];

export async function createVocabulary(tokenizer: LoadedTokenizer): Promise<Vocabulary> {
  const { templateText, folder } = tokenizer;
  const refused = (what: string): RollstreamError =>
    new RollstreamError('RS_TOKENIZER', `${folder}: ${what}: the scripted engine needs one`, { facts: { folder } });
  if (templateText === null) throw refused('there is no chat template');
  const eosIds = endsOf(tokenizer);
  if (eosIds.length === 0) throw refused('no end-of-sequence token is known');
  const renderer = createRenderer(templateText, tokenizer.config);
  const render = async (input: RenderInput): Promise<string> => (await renderer.render(input)).text;
  const bytes = (ids: readonly number[]): Uint8Array => tokenizer.decode(Uint32Array.from(ids), 0, ids.length);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    const messages = [{ role: 'user', content: 'hello' }];
    const without = await render({ messages });
    const opened = await render({ messages, addGenerationPrompt: true });
    const assistantOpening = opened.startsWith(without) ? opened.slice(without.length) : '';
    if (assistantOpening === '') throw refused('its chat template opens no assistant turn');
    return {
      sha256: tokenizer.sha256,
      size: tokenizer.size,
      has: tokenizer.has,
      isSpecial: (id) => tokenizer.added.get(id)?.special === true,
      idOf: tokenizer.addedId,
      encode: (text) => Array.from(tokenizer.encode(text)),
      bytes,
      text: (ids) => decoder.decode(bytes(ids)),
      eosIds,
      assistantOpening,
      render,
      close: renderer.close,
    };
  } catch (error) {
    await renderer.close();
    throw error;
  }
}

function endsOf({ eosIds, addedId }: LoadedTokenizer): number[] {
  const others = OTHER_ENDS.map(addedId).filter((id) => id !== null);
  return [...new Set([...eosIds, ...others])];
}
