import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Store } from '../../clickhouse/port.ts';
import { RollstreamError } from '../../errors.ts';
import type { EmitRequest } from '../replay-request.ts';
import { type KeptMember, readMembers } from './read-members.ts';
import type { PlannedUnit } from './read-plan.ts';
import { needsBlob, readShapes, type Shape } from './read-shapes.ts';
import type { IsStale } from './stale-units.ts';
import { readTrainedUnits } from './trained-units.ts';
import { readUnchangedUnits } from './unchanged-units.ts';

/** What becomes of a unit: it is emitted whole, or left out for a reason. */
export type JudgedUnit = { readonly unit: PlannedUnit } & (
  | { readonly kind: 'emitted'; readonly members: readonly KeptMember[]; readonly shapes: readonly Shape[] }
  | { readonly kind: 'left_out'; readonly reason: LeftOutReason }
);

/**
 * rejected: the replay keeps none of its attempts. already_trained, unchanged: asked for, it is emitted all the same. stale: a
 * trainer could not take it. segments_not_kept: token data above what a row holds, whose blob is gone. no_blob_folder: above what a
 * record holds.
 */
export type LeftOutReason =
  | ('rejected' | 'already_trained' | 'unchanged' | 'stale')
  | ('segments_not_kept' | 'no_blob_folder');

export interface JudgeDeps {
  readonly store: Pick<Store, 'query'>;
  readonly blobs: Pick<BlobStore, 'faultOf'> | null;
  readonly lookAtAges: (members: Iterable<KeptMember>) => Promise<IsStale>;
}

export interface JudgeFor {
  readonly replayId: string;
  readonly against: string;
  readonly emit: EmitRequest;
  readonly topic: string;
  /** The topic is the one that trainers are served from: what they have is left out. */
  readonly isReady: boolean;
}

/** In order, page by page. */
export type JudgeUnits = (units: readonly PlannedUnit[], asked: JudgeFor) => AsyncGenerator<JudgedUnit[]>;

/** Units whose members are looked at together; a group may have hundreds. */
const PAGE_UNITS = 1_000;

export function createJudgeUnits({ store, blobs, lookAtAges }: JudgeDeps): JudgeUnits {
  /** Of units that are kept, those that a trainer need not be given. */
  const readHad = async (units: readonly PlannedUnit[], asked: JudgeFor): Promise<Map<string, LeftOutReason>> => {
    const { replayId, against, emit, topic, isReady } = asked;
    const trained = isReady ? await readTrainedUnits(store, units) : NONE;
    const had = new Map<string, LeftOutReason>();
    if (!emit.again) for (const unit of trained) had.set(unit, 'already_trained');
    if ((emit.unchanged ?? (isReady ? 'leave_out' : 'emit')) === 'emit') return had;
    // What was trained is in no queue any more.
    const names = namesOf(units).filter((unit) => !trained.has(unit));
    const unchanged = await readUnchangedUnits(store, { replayId, against, topic, units: names });
    for (const unit of unchanged) had.set(unit, 'unchanged');
    return had;
  };

  const lackOf = async (shapes: readonly Shape[]): Promise<LeftOutReason | null> => {
    if (blobs === null && shapes.some(needsBlob)) return 'no_blob_folder';
    for (const { segments } of shapes) {
      if (segments === 'stored') continue;
      if (segments === 'lost' || blobs === null || (await blobs.faultOf(segments)) !== null) return 'segments_not_kept';
    }
    return null;
  };

  const judgePage = async (
    units: readonly PlannedUnit[],
    had: ReadonlyMap<string, LeftOutReason>,
    { replayId, emit }: JudgeFor,
  ): Promise<JudgedUnit[]> => {
    const members = await readMembers(store, replayId, namesOf(units));
    const asked = units.filter(({ unit }) => members.has(unit) && !had.has(unit));
    const isStale =
      emit.stale === 'emit' ? () => false : await lookAtAges(asked.flatMap(({ unit }) => members.get(unit) ?? []));
    const fresh = asked.filter(({ unit, runId }) => !isStale(runId, members.get(unit) ?? []));
    const shapes = await readShapes(store, replayId, namesOf(fresh));
    const names = new Set(namesOf(fresh));
    const judged: JudgedUnit[] = [];
    for (const unit of units) {
      const of = members.get(unit.unit);
      const own = shapes.get(unit.unit) ?? [];
      const isFresh = of !== undefined && names.has(unit.unit);
      if (isFresh) assertWhole(replayId, unit, of, own);
      const reason = isFresh ? await lackOf(own) : of === undefined ? 'rejected' : (had.get(unit.unit) ?? 'stale');
      if (reason !== null) judged.push({ unit, kind: 'left_out', reason });
      else if (isFresh) judged.push({ unit, kind: 'emitted', members: of, shapes: own });
    }
    return judged;
  };

  return async function* judgeUnits(units, asked) {
    const had = await readHad(units, asked);
    for (let from = 0; from < units.length; from += PAGE_UNITS)
      yield await judgePage(units.slice(from, from + PAGE_UNITS), had, asked);
  };
}

const NONE: ReadonlySet<string> = new Set();

function namesOf(units: readonly PlannedUnit[]): string[] {
  return units.map(({ unit }) => unit);
}

/** A group with a member missing has no baseline: it is emitted whole, or the replay ends. */
function assertWhole(
  replayId: string,
  { unit }: PlannedUnit,
  members: readonly KeptMember[],
  shapes: readonly Shape[],
): void {
  const there = new Set(shapes.map(({ rolloutHex, attempt }) => `${rolloutHex}/${attempt}`));
  const isThere = members.every(({ rolloutHex, attempt }) => there.has(`${rolloutHex}/${attempt}`));
  const together = new Map<number, number>();
  for (const { closedAt } of shapes) together.set(closedAt, (together.get(closedAt) ?? 0) + 1);
  const isCounted = shapes.every(({ size, closedAt }) => size === null || size === together.get(closedAt));
  if (isThere && isCounted && members.length === shapes.length) return;
  throw new RollstreamError(
    'RS_CHECK_FAILED',
    `${unit}: the store has ${shapes.length} trajectories of replay ${replayId}, and not the ${members.length} that it decided; nothing of it is emitted`,
    { facts: { replay: replayId, unit } },
  );
}
