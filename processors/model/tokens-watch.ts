import type { FindingList } from './finding-list.ts';

/** What was found of ids and lengths while model calls were folded. */
export interface TokensWatch {
  readonly findings: FindingList;
  /** Calls that were answered and have no token ids. */
  withoutIds: number;
  /** What was found of rewritten histories, and how many calls there were then: it holds until there are more. null: not looked. */
  rewritten: { readonly calls: number; readonly findings: FindingList } | null;
}
