import type { FramedRecord } from '../access/record-frames.ts';
import type { RunRegistry } from './registry.ts';

/** RS_RUN_CLOSED where one of the records, known by the key of its unit, is of a run that takes nothing more. */
export function refuseClosedRecords(
  registry: Pick<RunRegistry, 'hasClosed' | 'refuseClosed'>,
  records: readonly Pick<FramedRecord, 'key'>[],
): void {
  if (!registry.hasClosed()) return;
  for (const runId of new Set(records.map(({ key }) => runOfKey(key.toString())))) registry.refuseClosed(runId);
}

/** The first part of a unit id. What cannot be decoded holds a lone surrogate: nothing was ever said of such a run. */
function runOfKey(key: string): string {
  try {
    return decodeURIComponent(key.slice(0, Math.max(0, key.indexOf('/'))));
  } catch {
    return '';
  }
}
