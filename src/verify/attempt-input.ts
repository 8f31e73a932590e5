import type { JudgedAttempt } from './judged-attempt.ts';
import type { VerifierAnswer, VerifierInput } from './verifier.ts';

/** An attempt with what a verifier is shown of it. */
export interface AttemptInput {
  readonly attempt: JudgedAttempt;
  readonly input: VerifierInput;
  /** Why nobody can judge it from what is kept; null: somebody can. */
  readonly refused: string | null;
}

export interface AttemptJudged extends AttemptInput {
  readonly answer: VerifierAnswer;
  /** It was known: nobody was asked. */
  readonly isCached: boolean;
}
