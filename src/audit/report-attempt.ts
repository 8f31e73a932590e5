import type { Attempt } from '../../processors/model/attempt.ts';
import type { Scored } from '../../processors/model/judgement.ts';
import { sampledIn } from '../../processors/model/segment.ts';
import type { AttemptReport, Numbering } from './attempt-report.ts';
import type { DeepAudited } from './deep-audit.ts';

/** Where in its file an attempt was read, and what became of it there. */
export interface AttemptPlace {
  readonly file: string | null;
  readonly line: number | null;
  readonly numbering: Numbering | null;
  readonly sampleHash: number | null;
}

export function reportAttempt(
  attempt: Attempt,
  { code, category }: Scored,
  { audited, reencode, rerender }: DeepAudited,
  place: AttemptPlace,
): AttemptReport {
  const { run_id, env_name, epoch, group_id } = attempt.identity;
  const { summary, missing, findings } = audited;
  return {
    runId: run_id,
    envName: env_name,
    epoch,
    groupId: group_id,
    rolloutId: attempt.rolloutId,
    attempt: attempt.number,
    code,
    category,
    modelCalls: attempt.calls,
    sampledTokens: sampledTokensOf(attempt),
    namesTokenizer: (attempt.start?.tokenizer_sha256 ?? null) !== null,
    summary,
    missing,
    findings,
    reencode,
    rerender,
    ...place,
  };
}

/** What a fork shares with its parent counts once. */
function sampledTokensOf({ segments }: Attempt): number {
  let tokens = 0;
  for (const { chunks } of segments) for (const chunk of chunks) if (!chunk.copied) tokens += sampledIn(chunk);
  return tokens;
}
