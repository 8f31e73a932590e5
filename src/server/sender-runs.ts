import type { SenderRuns } from '../ingest/http/run-check.ts';
import { EVERY_RUN } from '../ingest/http/run-check.ts';
import { type Caller, mayUse } from './auth/caller.ts';
import { forbiddenRun } from './auth/check-access.ts';

/** Runs that a caller may write to, as records are checked one by one. */
export function senderRuns(caller: Caller): SenderRuns {
  const { runs } = caller;
  if (runs === null) return EVERY_RUN;
  const [only = null, ...others] = runs;
  return {
    only: others.length === 0 ? only : null,
    refusal: (run) => (mayUse(caller, run) ? null : forbiddenRun(caller, run, 'run_id')),
  };
}
