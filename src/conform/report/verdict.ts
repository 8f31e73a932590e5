/** `not_observable`: neither side shows it. It is never called faithful. */
export type Verdict = 'faithful' | 'laundered' | 'not_observable';

/** What is asked of a conversation. */
export type CheckName =
  | 'abort'
  | 'arguments'
  | 'cut'
  | 'duplicate_call'
  | 'eos'
  | 'extra_logprob'
  | 'late_answer'
  | 'malformed_call'
  | 'next_prompt_ids'
  | 'recorded_ids'
  | 'recorded_logprobs'
  | 'refusals'
  | 'reset'
  | 'split_character'
  | 'think_call'
  | 'unclosed_call'
  | 'weights';

/** One side of what was compared. */
export interface Evidence {
  readonly of: 'engine' | 'next_prompt' | 'record';
  /** Number of the engine's call, of the engine and of a prompt; null: of the record. */
  readonly call: number | null;
  /** Token at which the sides part, in the list that `ids` is cut from. */
  readonly index: number | null;
  /** Those from a little before `index` on. */
  readonly ids: readonly number[] | null;
  readonly text: string | null;
}

export interface Judgement {
  readonly check: CheckName;
  readonly verdict: Verdict;
  /** What it was made of, where it was laundered, such as `abort_as_complete`; else null. */
  readonly class: string | null;
  readonly turn: number | null;
  readonly detail: string;
  readonly evidence: readonly Evidence[];
}

/** Laundered once is laundered; a side that shows nothing takes nothing from one that does. */
export function verdictOf(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('laundered')) return 'laundered';
  return verdicts.includes('faithful') ? 'faithful' : 'not_observable';
}
