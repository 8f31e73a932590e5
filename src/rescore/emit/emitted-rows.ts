import type { Store } from '../../clickhouse/port.ts';
import { encodeReplayEmitted, type ReplayEmittedRow } from '../../clickhouse/tables/replay-emitted.ts';
import { type KeptMember, readMembers } from './read-members.ts';
import { type PlannedRun, type PlannedUnit, readPlan } from './read-plan.ts';

export interface EmittedRowsDeps {
  readonly store: Pick<Store, 'query' | 'insert'>;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly replayId: string;
  readonly topic: string;
}

/** `replay_emitted`: what was written to the topic, and is in no doubt any more. */
export interface EmittedRows {
  write(units: ReadonlyArray<{ readonly unit: PlannedUnit; readonly members: readonly KeptMember[] }>): Promise<void>;
  /** The same of units by their places, which rise: who died after its transaction has not written them. */
  writeAgain(places: readonly number[]): Promise<void>;
  /** There is one of the run. */
  hasAny(run: PlannedRun): Promise<boolean>;
}

export function createEmittedRows({ store, now, replayId, topic }: EmittedRowsDeps): EmittedRows {
  const write: EmittedRows['write'] = async (units) => {
    const atMs = now();
    const rows = units.flatMap(({ unit, members }) =>
      members.map(
        ({ rollout, attempt }): ReplayEmittedRow => ({
          ...{ replay_id: replayId, run_id: unit.runId, epoch: unit.epoch, unit: unit.unit, rollout_id: rollout },
          ...{ attempt, topic, position: unit.position, atMs, version: BigInt(atMs) },
        }),
      ),
    );
    if (rows.length > 0) await store.insert(encodeReplayEmitted(rows));
  };

  return {
    write,
    async writeAgain(places) {
      const [first] = places;
      if (first === undefined) return;
      const most = (places.at(-1) ?? first) - first + 1;
      const named = new Set(places);
      const plan = await readPlan(store, { replayId, position: first, most });
      const units = plan.filter(({ position }) => named.has(position));
      const members = await readMembers(
        store,
        replayId,
        units.map(({ unit }) => unit),
      );
      await write(units.map((unit) => ({ unit, members: members.get(unit.unit) ?? [] })));
    },
    async hasAny({ from, to }) {
      const found = await store.query<{ position: number }>(
        `SELECT position FROM rollstream.replay_emitted
         WHERE replay_id = {replay:String} AND position >= {from:Int64} AND position < {to:Int64} LIMIT 1`,
        { replay: replayId, from, to },
      );
      return found.length > 0;
    },
  };
}
