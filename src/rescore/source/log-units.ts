import type { Broker } from '../../broker/port.ts';
import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import type { RefusedRollouts, ReplayChunk } from '../replay-source.ts';
import { indexLog, type KeySpan, offsetAtTime } from './index-log.ts';
import type { ChunkLimits } from './plan-chunks.ts';
import { firstRecordIn, ofPartition, ofRuns, type PartitionScope } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** Units of a partition that the log holds whole, and those that it does not. */
export interface LogUnits {
  readonly spans: ReadonlyMap<string, KeySpan>;
  readonly refused: readonly RefusedRollouts[];
}

const MOST_NAMED = 100;

/** A unit belongs to the stretch by its first record; it is read up to its last one, behind the stretch too. */
export async function findLogUnits(
  broker: Broker,
  reader: BulkReader,
  of: PartitionScope,
  scope: Pick<StoreScope, 'runs' | 'from' | 'to' | 'where'>,
): Promise<LogUnits> {
  const { topic, partition, end } = of;
  const { start } = await broker.bounds(topic, partition);
  const whole = { topic, partition, from: start, end };
  const placed = async ({ from: place }: Pick<StoreScope, 'from'>): Promise<number | null> =>
    place === null ? null : place.kind === 'offset' ? place.offset : offsetAtTime(broker, whole, place.atMs);
  const from = Math.max(start, (await placed({ from: scope.from })) ?? start);
  const to = (await placed({ from: scope.to })) ?? end;
  const { deleted, before } = await cutOff(reader, of, scope, { start, from });
  const wanted = scope.where === null ? null : await unitsWhere(reader, of, scope);
  const inRuns = scope.runs.length === 0 ? null : await unitsWhere(reader, of, { ...scope, where: null });
  const spans = await indexLog(broker, { ...whole, from });
  for (const [unit, { first }] of spans) {
    const isIn = first < to && (wanted?.has(unit) ?? true) && (inRuns?.has(unit) ?? true);
    if (!isIn || deleted.has(unit) || before.has(unit)) spans.delete(unit);
  }
  return {
    spans,
    refused: [
      ...refusedOf('records_deleted', `the log of partition ${partition} begins at ${start}`, deleted),
      ...refusedOf('began_before', `they began before ${from} in partition ${partition}`, before),
    ],
  };
}

type Rollouts = ReadonlyMap<string, readonly string[]>;

/** Units with records below what is read: those that were asked for, and those that only go on in it. */
async function cutOff(
  reader: BulkReader,
  of: PartitionScope,
  scope: Pick<StoreScope, 'runs' | 'from' | 'to'>,
  { start, from }: { readonly start: number; readonly from: number },
): Promise<{ readonly deleted: Rollouts; readonly before: Rollouts }> {
  const bytes = await reader.read(
    `SELECT unit, toBool(${firstRecordIn(scope) ?? 'true'}) AS asked, toBool(min(offset) < ${start}) AS deleted,
       groupUniqArrayIf(rollout_id, rollout_id != '')
     FROM rollstream.steps WHERE ${ofPartition(of, 'cause')} AND unit != '' AND ${ofRuns(scope)}
     GROUP BY unit
     HAVING min(offset) < ${from} AND countIf(kind = 'start') > 0 AND (asked AND deleted OR NOT asked AND max(offset) >= ${from})
     ORDER BY unit`,
  );
  const rows = new RowBinaryReader(bytes);
  const deleted = new Map<string, string[]>();
  const before = new Map<string, string[]>();
  while (!rows.isAtEnd) {
    const unit = rows.string();
    const isAsked = rows.bool();
    rows.bool();
    (isAsked ? deleted : before).set(unit, rows.array((row) => row.string()).sort());
  }
  return { deleted, before };
}

async function unitsWhere(
  reader: BulkReader,
  of: PartitionScope,
  scope: Pick<StoreScope, 'runs' | 'where'>,
): Promise<ReadonlySet<string>> {
  const [table, where] = scope.where === null ? ['live_attempts', 'true'] : ['live_decisions', scope.where];
  const bytes = await reader.read(
    `SELECT DISTINCT unit FROM (SELECT * FROM rollstream.${table} WHERE ${ofPartition(of, 'offset')} AND ${ofRuns(scope)})
     WHERE (\n${where}\n)`,
  );
  const rows = new RowBinaryReader(bytes);
  const units = new Set<string>();
  while (!rows.isAtEnd) units.add(rows.string());
  return units;
}

function refusedOf(reason: string, detail: string, units: Rollouts): RefusedRollouts[] {
  const rollouts = [...units.values()].flat();
  if (rollouts.length === 0) return [];
  return [{ reason, detail, n: rollouts.length, rollouts: rollouts.slice(0, MOST_NAMED) }];
}

/**
 * Cut in the order in which units end, so that a piece is a stretch of the log, and whole. A piece has no units from–to: it says
 * the offsets that its units end at, and where reading begins.
 */
export function cutLogUnits(
  partition: number,
  spans: ReadonlyMap<string, KeySpan>,
  limits: ChunkLimits,
): Omit<ReplayChunk, 'chunk'>[] {
  const chunks: Omit<ReplayChunk, 'chunk'>[] = [];
  let held: KeySpan[] = [];
  let [events, bytes] = [0, 0];
  const cut = () => {
    const [first] = held;
    const last = held.at(-1);
    if (first === undefined || last === undefined) return;
    const begin = held.reduce((least, span) => Math.min(least, span.first), first.first);
    chunks.push({
      ...{ partition, fromUnit: `@${first.last}`, toUnit: `@${last.last}`, fromRollout: `@${begin}`, toRollout: '' },
      ...{ units: held.length, events },
    });
    [held, events, bytes] = [[], 0, 0];
  };
  for (const span of [...spans.values()].sort((a, b) => a.last - b.last)) {
    held.push(span);
    events += span.records;
    bytes += span.bytes;
    if (events >= limits.events || bytes >= limits.bytes) cut();
  }
  cut();
  return chunks;
}

/** Units of a piece end within [from, to]; reading begins at `begin`. */
export function offsetsOf(chunk: ReplayChunk): { readonly begin: number; readonly from: number; readonly to: number } {
  const offset = (text: string): number => Number(text.slice(1));
  return { begin: offset(chunk.fromRollout), from: offset(chunk.fromUnit), to: offset(chunk.toUnit) };
}
