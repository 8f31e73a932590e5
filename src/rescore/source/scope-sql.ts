import { RollstreamError } from '../../errors.ts';
import type { ReplayPlace } from '../replay-request.ts';
import type { ReplayChunk } from '../replay-source.ts';
import { bytesLiteral } from './bytes-literal.ts';
import { countsBelow, type OwnedBounds } from './owned-bounds.ts';
import type { StoreScope } from './store-scope.ts';

/** Where rows are looked for: a partition, as far as it is read. */
export interface PartitionScope {
  readonly topic: string;
  readonly partition: number;
  readonly bounds: OwnedBounds;
  readonly end: number;
}

export type UnitRange = Pick<ReplayChunk, 'fromUnit' | 'toUnit' | 'fromRollout' | 'toRollout'>;

/** Rows of the partition that count. */
export function ofPartition({ topic, partition, bounds, end }: PartitionScope, cause: 'cause' | 'offset'): string {
  return `topic = ${bytesLiteral(topic)} AND partition = ${partition} AND ${countsBelow(bounds, cause, end)}`;
}

/** Rows of units of a chunk, wherever in the table they are. */
export function ofUnits({ fromUnit, toUnit }: UnitRange): string {
  const range = `unit >= ${bytesLiteral(fromUnit)} AND unit <= ${bytesLiteral(toUnit)}`;
  const [run, epoch] = runAndEpoch(fromUnit);
  const [lastRun, lastEpoch] = runAndEpoch(toUnit);
  if (run === null || run !== lastRun) return range;
  // Leading columns of the keys, where all units have the same.
  const ofEpoch = epoch === lastEpoch && /^\d+$/.test(epoch) ? ` AND epoch = ${epoch}` : '';
  return `run_id = ${bytesLiteral(run)}${ofEpoch} AND ${range}`;
}

/** The same, of attempts that were accepted: by the rollout ids that order the tables. Deadlines of a whole unit name no rollout. */
export function ofRollouts(range: UnitRange): string {
  const { fromRollout, toRollout } = range;
  const named = `rollout_id >= ${bytesLiteral(fromRollout)} AND rollout_id <= ${bytesLiteral(toRollout)}`;
  return `${ofUnits(range)} AND (rollout_id = '' OR ${named})`;
}

/** null: the id is not told by the unit in plain characters. */
function runAndEpoch(unit: string): readonly [run: string | null, epoch: string] {
  const [run = '', epoch = ''] = unit.split('/');
  return [/^[\w.~-]+$/.test(run) ? run : null, epoch];
}

export function ofRuns({ runs }: Pick<StoreScope, 'runs'>): string {
  return runs.length === 0 ? 'true' : `run_id IN (${runs.map(bytesLiteral).join(', ')})`;
}

/** Condition on a unit's first record, within `GROUP BY unit` over `steps`; null: all. */
export function firstRecordIn({ from, to }: Pick<StoreScope, 'from' | 'to'>): string | null {
  const bounds = [from === null ? [] : [`${placed(from)} >= ${limitOf(from)}`]];
  bounds.push(to === null ? [] : [`${placed(to)} < ${limitOf(to)}`]);
  const all = bounds.flat();
  return all.length === 0 ? null : all.join(' AND ');
}

function placed({ kind }: ReplayPlace): string {
  return kind === 'offset' ? 'min(offset)' : 'toUnixTimestamp64Milli(argMin(appended_at, offset))';
}

export function limitOf(place: ReplayPlace): number {
  return place.kind === 'offset' ? place.offset : place.atMs;
}

/** A place of one partition leaves the others out: a stretch is of one partition or of all. */
export function isPartitionIn({ from, to }: Pick<StoreScope, 'from' | 'to'>, partition: number): boolean {
  return [from, to].every((place) => place?.kind !== 'offset' || (place.partition ?? partition) === partition);
}

export function checkPlaces({ from, to }: Pick<StoreScope, 'from' | 'to'>): void {
  if (from?.kind !== 'offset' || to?.kind !== 'offset') return;
  if (from.partition !== null && to.partition !== null && from.partition !== to.partition)
    throw new RollstreamError('RS_USAGE', `from and to name two partitions, ${from.partition} and ${to.partition}`);
}

/** Sub-queries that a unit must be in, beside being in its chunk. `within`: condition that keeps them to the chunk. */
export function scopedUnits(
  of: PartitionScope,
  scope: Pick<StoreScope, 'from' | 'to' | 'where'>,
  within: { readonly steps: string; readonly decisions: string },
): string[] {
  const first = firstRecordIn(scope);
  const inStretch =
    first === null
      ? []
      : [
          `unit IN (SELECT unit FROM rollstream.steps WHERE ${ofPartition(of, 'cause')} AND ${within.steps}
           GROUP BY unit HAVING ${first})`,
        ];
  const isWanted =
    scope.where === null
      ? []
      : [
          `unit IN (SELECT unit FROM (SELECT * FROM rollstream.live_decisions
           WHERE ${ofPartition(of, 'offset')} AND ${within.decisions}) WHERE (\n${scope.where}\n))`,
        ];
  return [...inStretch, ...isWanted];
}
