import type { ExplainedAttempt } from '../access/explanation.ts';

/** What became of a rollout: what became of the newest attempt that has started. */
export function rolloutSentence(attempts: readonly ExplainedAttempt[]): string {
  const last = attempts.findLast(({ started, decision }) => started !== null || decision !== null) ?? attempts.at(-1);
  if (last === undefined) return '';
  return attempts.length === 1 ? last.summary : `Attempt ${last.attempt} of ${attempts.length}: ${last.summary}`;
}
