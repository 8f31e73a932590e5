import type { DeepKnowledge } from '../../processors/audit/deep-audits.ts';
import { shippedRulesFor } from '../../processors/audit/template/shipped-rules.ts';
import { loadTokenizer } from '../tokenizers/load-tokenizer.ts';

export interface OpenKnowledge extends DeepKnowledge {
  close(): void;
}

/** What a folder with a tokenizer tells the audits: how it encodes, and what its template writes between messages. */
export async function openKnowledge(folder: string): Promise<OpenKnowledge> {
  const tokenizer = await loadTokenizer(folder);
  return { tokenizer, rules: shippedRulesFor(tokenizer), close: () => tokenizer.close() };
}
