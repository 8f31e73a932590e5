import { GATE_STATES, type GateState } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';
import type { GateRow } from '../clickhouse/tables/gates.ts';

interface StoredGate {
  readonly run_id: string;
  readonly seq: number;
  readonly state: GateState;
  readonly by: GateRow['by'];
  readonly classes: readonly string[];
  readonly why_json: string;
  readonly window_from_ms: number;
  readonly at_ms: number;
}

/** The last change of each run's gate, or of one run. A state that only a newer build knows is left out: to obey it would be a guess. */
export async function readLastGates(
  store: Pick<Store, 'query'>,
  runId: string | null = null,
): Promise<Map<string, GateRow>> {
  const rows = await store.query<StoredGate>(
    `SELECT run_id, toUInt32(seq) AS seq, state, by, classes, why_json,
       toUnixTimestamp64Milli(window_from) AS window_from_ms, toUnixTimestamp64Milli(at) AS at_ms
     FROM rollstream.gates FINAL
     WHERE ({run:String} = '' OR run_id = {run:String})
     ORDER BY gates.seq DESC LIMIT 1 BY run_id`,
    { run: runId ?? '' },
  );
  return new Map(
    rows
      .filter(({ state }) => GATE_STATES.includes(state))
      .map(({ window_from_ms, at_ms, ...row }) => [row.run_id, { ...row, windowFromMs: window_from_ms, atMs: at_ms }]),
  );
}
