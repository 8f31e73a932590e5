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
  /** The topic is the one that trainers are served from: what they have is left out. */
  readonly isReady: boolean;
}

export type JudgeUnits = (units: readonly PlannedUnit[], asked: JudgeFor) => Promise<JudgedUnit[]>;

export function createJudgeUnits({ store, blobs, lookAtAges }: JudgeDeps): JudgeUnits {
  const lackOf = async (shapes: readonly Shape[]): Promise<LeftOutReason | null> => {
    if (blobs === null && shapes.some(needsBlob)) return 'no_blob_folder';
    for (const { segments } of shapes) {
      if (segments === 'stored') continue;
      if (segments === 'lost' || blobs === null || (await blobs.faultOf(segments)) !== null) return 'segments_not_kept';
    }
    return null;
  };

  return async function judgeUnits(units, { replayId, against, emit, isReady }) {
    const members = await readMembers(store, replayId, namesOf(units));
    const kept = units.filter(({ unit }) => members.has(unit));
    const trained = isReady ? await readTrainedUnits(store, kept) : NONE;
    const asked = kept.filter(({ unit }) => emit.again || !trained.has(unit));
    const isForChanges = (emit.unchanged ?? (isReady ? 'leave_out' : 'emit')) === 'leave_out';
    // What was trained is in no queue any more.
    const compared = isForChanges ? asked.filter(({ unit }) => !trained.has(unit)) : [];
    const unchanged = await readUnchangedUnits(store, { replayId, against, units: namesOf(compared) });
    const changed = asked.filter(({ unit }) => !unchanged.has(unit));
    const isStale =
      emit.stale === 'emit' ? () => false : await lookAtAges(changed.flatMap(({ unit }) => members.get(unit) ?? []));
    const fresh = changed.filter(({ unit, runId }) => !isStale(runId, members.get(unit) ?? []));
    const shapes = await readShapes(store, replayId, namesOf(fresh));
    const freshNames = new Set(namesOf(fresh));

    const judge = async (unit: PlannedUnit): Promise<JudgedUnit> => {
      const leaveOut = (reason: LeftOutReason): JudgedUnit => ({ unit, kind: 'left_out', reason });
      const of = members.get(unit.unit);
      if (of === undefined) return leaveOut('rejected');
      if (!emit.again && trained.has(unit.unit)) return leaveOut('already_trained');
      if (unchanged.has(unit.unit)) return leaveOut('unchanged');
      if (!freshNames.has(unit.unit)) return leaveOut('stale');
      const own = shapes.get(unit.unit) ?? [];
      assertWhole(replayId, unit, of, own);
      const lack = await lackOf(own);
      return lack === null ? { unit, kind: 'emitted', members: of, shapes: own } : leaveOut(lack);
    };
    const judged: JudgedUnit[] = [];
    for (const unit of units) judged.push(await judge(unit));
    return judged;
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
