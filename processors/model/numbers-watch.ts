import type { FindingList } from './finding-list.ts';

/** What was found of logprobs and weight spans while model calls were folded. */
export interface NumbersWatch {
  readonly findings: FindingList;
  /** Calls whose logprobs are of the truncated distribution, and the first of them. */
  truncated: number;
  firstTruncated: number;
}
