import { State } from '../../processors/delivery/state.ts';
import type { Broker } from '../broker/port.ts';
import { createLeaseLog } from '../delivery/log/lease-log.ts';

/** A lease that an ack still counts of. */
export interface LeaseOut {
  readonly lease: string;
  readonly consumer: string;
  /** ms since the epoch. */
  readonly deadlineMs: number;
}

/** Leases of the run that are out, as ready.leases says: rows of them come a second later. */
export async function leasesOut(
  broker: Pick<Broker, 'append' | 'bounds' | 'read'>,
  topic: string,
  { runId, nowMs }: { readonly runId: string; readonly nowMs: number },
): Promise<LeaseOut[]> {
  const state = new State(
    () => new Map(),
    1,
    () => undefined,
  );
  for (const { key, record } of await createLeaseLog(broker, topic).read()) state.apply(key, record);
  const run = state.runs.get(runId);
  if (run === undefined) return [];
  return [...run.leases].flatMap(([lease, { grant }]) =>
    grant !== null && run.holds(lease) && grant.deadline > nowMs
      ? [{ lease, consumer: grant.consumer, deadlineMs: grant.deadline }]
      : [],
  );
}
