import type { DeepAnswers, DeepInput } from '../../processors/model/deep-input.ts';

/** The audits that need a tokenizer, wherever they run. */
export interface DeepAuditor {
  /** What it lacks for an attempt whose start names this tokenizer.json (SHA-256, hex; null: none); null: nothing. */
  missingFor(tokenizerSha256: string | null): string | null;
  /** Never rejects: an audit that could not be made is not_auditable, and says why. */
  run(input: DeepInput): Promise<DeepAnswers>;
  close(): Promise<void>;
}

/** Without tokenizers. */
export const NO_DEEP_AUDITOR: DeepAuditor = {
  missingFor: () => 'no tokenizer is configured',
  run: async () => ({}),
  close: async () => undefined,
};
