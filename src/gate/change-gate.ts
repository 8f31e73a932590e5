import type { GateSetting } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeGates, type GateRow } from '../clickhouse/tables/gates.ts';
import type { ControlWriter } from '../lanes/control-writer.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import { readRunRow } from '../runs/stored-runs.ts';
import { readLastGates } from './last-gates.ts';

/** What a gate becomes, and why. */
export interface NewGate extends GateSetting {
  readonly by: GateRow['by'];
  /** Limits that tripped, or the reason that a person gave. */
  readonly why: object;
  /** null: the window goes on. */
  readonly windowFromMs: number | null;
}

export interface ChangeGate {
  /** Asks `next` what follows the last change (null: there was none), and makes it so; null: nothing changes. */
  change(runId: string, next: (last: GateRow | null) => NewGate | null): Promise<GateRow | null>;
  /** Writes the events of the last change of a run again: those that lanes have already change nothing. */
  repeat(runId: string): Promise<void>;
}

export interface ChangeGateDeps {
  readonly store: Pick<Store, 'query' | 'insert'>;
  readonly control: () => Promise<Pick<ControlWriter, 'gate'>>;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Called with each change, once its events are written. */
  readonly tell: (row: GateRow) => void;
}

/**
 * ROW, THEN EVENTS. The row is the truth: 1 the row says hold, the process dies; 2 the next evaluator finds the row and writes its
 * events. The other way round lanes would hold, and nobody could say why. The events are those of the row that the store holds when
 * they are written; one of a lower number is void to lanes, and of two rows with one number, of two processes at once, the store
 * keeps one: LOOK AGAIN after the events, and write those of what came meanwhile. One at a time in a process; a change that another
 * process made is seen by the evaluator, which repeats the events of what it did not write.
 */
export function createChangeGate({ store, control, now, tell }: ChangeGateDeps): ChangeGate {
  const inTurn = createOneAtATime();

  const repeat = async (runId: string): Promise<void> => {
    const written = new Set<string>();
    for (;;) {
      const row = (await readLastGates(store, runId)).get(runId);
      if (row === undefined) return;
      const { state, classes, why_json, seq, atMs } = row;
      const eventId = `${runId}|${seq}|${atMs}`;
      if (written.has(eventId)) return;
      await (await control()).gate(runId, { state, classes, seq }, why_json, eventId);
      written.add(eventId);
    }
  };

  return {
    change: (runId, next) =>
      inTurn(async () => {
        const before = (await readLastGates(store, runId)).get(runId) ?? null;
        const wanted = next(before);
        if (wanted === null) return null;
        const row: GateRow = {
          run_id: runId,
          seq: (before?.seq ?? (await readRunRow(store, runId))?.gate_seq ?? 0) + 1,
          state: wanted.state,
          by: wanted.by,
          classes: wanted.classes,
          why_json: JSON.stringify(wanted.why),
          windowFromMs: wanted.windowFromMs ?? before?.windowFromMs ?? 0,
          atMs: now(),
        };
        await store.insert(encodeGates([row]));
        await repeat(runId);
        tell(row);
        return row;
      }),
    repeat: (runId) => inTurn(() => repeat(runId)),
  };
}
