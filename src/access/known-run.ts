import type { Accounting } from '../clickhouse/accounting.ts';
import { RollstreamError } from '../errors.ts';

/** The books of the run that was asked for: a name that nobody has used is an error, not an empty and balanced book. */
export function ofKnownRun(accounting: Accounting, runId: string | null): Accounting {
  if (runId !== null && accounting.runs.length === 0)
    throw new RollstreamError('RS_NOT_FOUND', `no run is named ${runId}`, { facts: { field: 'run' } });
  return accounting;
}
