import type { TokenizerFolder } from './read-tokenizer-folder.ts';

/** What tokenizer_config.json and generation_config.json say of a model's conversation; null: they do not say. */
export interface SpecialTokens {
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** eos_token_id of generation_config.json. */
  readonly generationEosIds: readonly number[];
  /** Chat template; of several, the one named default. */
  readonly templateText: string | null;
}

export function readSpecialTokens({ config, generation, templateFile }: TokenizerFolder): SpecialTokens {
  const eos = generation.eos_token_id;
  const generationEosIds = (Array.isArray(eos) ? eos : [eos]).filter(isId);
  return {
    bosToken: contentOf(config.bos_token),
    eosToken: contentOf(config.eos_token),
    generationEosIds,
    templateText: templateOf(config.chat_template) ?? templateFile,
  };
}

/** Text, or an added token as an object. */
function contentOf(token: unknown): string | null {
  if (typeof token === 'string') return token;
  if (typeof token === 'object' && token !== null && 'content' in token && typeof token.content === 'string')
    return token.content;
  return null;
}

function templateOf(template: unknown): string | null {
  if (typeof template === 'string') return template;
  if (!Array.isArray(template)) return null;
  for (const entry of template) {
    if (typeof entry !== 'object' || entry === null) continue;
    if (entry.name === 'default' && typeof entry.template === 'string') return entry.template;
  }
  return null;
}

function isId(value: unknown): value is number {
  return Number.isInteger(value);
}
