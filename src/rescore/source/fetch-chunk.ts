import type { BulkReader } from '../../clickhouse/port.ts';
import type { ReplayChunk, ReplayPlan } from '../replay-source.ts';
import { fetchSides, NO_ROWS, ownMemory, type RawSides } from './fetch-sides.ts';
import { readOwnedBounds } from './owned-bounds.ts';
import { createEventRows } from './read-event.ts';
import { lateVerdictRows } from './row-kinds.ts';
import { ofPartition, ofRollouts, ofUnits, type PartitionScope, scopedUnits } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** A chunk as the store gave it: each buffer has memory of its own, so that all may be handed to another thread. */
export interface RawChunk extends RawSides {
  readonly partition: number;
  /** Accepted and refused ones, in order of unit and offset. */
  readonly events: Uint8Array<ArrayBuffer>;
  readonly lateVerdicts: Uint8Array<ArrayBuffer>;
}

export interface ChunkReading {
  readonly topic: string;
  readonly scope: StoreScope;
  readonly withTokens: boolean;
}

/** Reads a chunk: the half of a replay that waits for the store. */
export async function fetchChunk(
  reader: BulkReader,
  reading: ChunkReading,
  { ends }: Pick<ReplayPlan, 'ends'>,
  chunk: ReplayChunk,
): Promise<RawChunk> {
  const { topic, scope, withTokens } = reading;
  const { partition } = chunk;
  const bounds = (await readOwnedBounds(reader, topic))(partition);
  const of: PartitionScope = { topic, partition, bounds, end: ends[partition] ?? 0 };
  const units = ofUnits(chunk);
  const rollouts = ofRollouts(chunk);
  const scoped = scopedUnits(of, scope, { steps: rollouts, decisions: units });
  const byUnit = [units, ...scoped].join(' AND ');
  const byRollout = [rollouts, ...scoped].join(' AND ');
  const counts = ofPartition(of, 'cause');
  const events = await reader.read(selectEvents(withTokens, `${counts} AND ${byRollout}`, `${counts} AND ${byUnit}`));
  const lateVerdicts =
    scope.late === 'ignore'
      ? NO_ROWS
      : await reader.read(
          `SELECT ${lateVerdictRows.select.join(', ')} FROM rollstream.verdicts
           WHERE ${counts} AND ${byRollout} AND late ORDER BY unit, offset DESC, version DESC`,
        );
  const sides = await fetchSides(reader, of, reading, { byUnit, byRollout });
  return { ...sides, partition, events: ownMemory(events), lateVerdicts: ownMemory(Buffer.from(lateVerdicts)) };
}

/** What was accepted and what was refused, as the lane read it. A refused record may be of a rollout that was never accepted. */
function selectEvents(withTokens: boolean, accepted: string, refused: string): string {
  const { select } = createEventRows({ withTokens });
  const named = select.map((expression, index) => `${expression} AS c${index}`).join(', ');
  const [unit, offset] = [select.indexOf('unit'), select.indexOf('offset')];
  return `SELECT accepted, ${select.map((_, index) => `c${index}`).join(', ')} FROM (
      SELECT true AS accepted, ${named}, version FROM rollstream.steps WHERE ${accepted}
      UNION ALL
      SELECT false AS accepted, ${named}, version FROM rollstream.step_faults WHERE ${refused})
    ORDER BY c${unit}, c${offset}, version DESC`;
}
