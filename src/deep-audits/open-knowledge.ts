import type { DeepKnowledge } from '../../processors/audit/deep-audits.ts';
import { type LoadedTokenizer, loadTokenizer } from '../tokenizers/load-tokenizer.ts';
import { rulesOf } from '../tokenizers/template/rules-of.ts';

export interface OpenKnowledge extends DeepKnowledge {
  readonly tokenizer: LoadedTokenizer;
  close(): void;
}

/** What a folder with a tokenizer tells the audits: how it encodes, and what its template writes between messages. */
export async function openKnowledge(folder: string): Promise<OpenKnowledge> {
  const tokenizer = await loadTokenizer(folder);
  const { rules } = await rulesOf(tokenizer);
  return { tokenizer, rules, close: () => tokenizer.close() };
}
