import type { Found } from './audit-summary.ts';

/** What was found of ids and lengths while model calls were folded. */
export interface TokensWatch {
  readonly findings: Found[];
}
