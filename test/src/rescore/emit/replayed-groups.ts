import type { Effects, OutRecord, TrajectoryRow } from '../../../../processors/model/effects.ts';
import type { StepEventInit } from '../../../../schemas/generated/step-event.ts';
import type { Transaction } from '../../../../src/broker/port.ts';
import type { Store } from '../../../../src/clickhouse/port.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { topicNames } from '../../../../src/config/topics.ts';
import { createEncodeRecords } from '../../../../src/lanes/out-records.ts';
import type { Codecs } from '../../../../src/registry/codecs.ts';
import { attemptOf } from '../../../processors/events.ts';
import { createTestLane, type LaneOptions } from '../../../processors/harness.ts';

/** A group, or a rollout without one (null), by the rewards of its members: as they were decided live, and by the replay. */
export interface ReplayedGroup {
  readonly name: string;
  readonly isGroup?: boolean;
  readonly before: readonly number[];
  /** Absent: as before. */
  readonly after?: readonly number[];
  /** Reason that the members ended for; absent: they completed their task. */
  readonly raw?: string;
  readonly rawAfter?: string;
  readonly weights?: string;
}

export interface ReplayOf {
  readonly run: string;
  readonly replayId: string;
  readonly groups: readonly ReplayedGroup[];
  readonly lane?: LaneOptions;
  /** What the replay made of a trajectory beside that. */
  readonly made?: (row: TrajectoryRow) => TrajectoryRow;
  /** What stands before its rows are written. */
  readonly kept?: (rows: readonly TrajectoryRow[]) => Promise<TrajectoryRow[]>;
}

/** The lane's own topic and term: rows of it count. */
const LIVE = { topic: 'rollout.steps', term: 1 };

/** So that live rows count. Once a store. */
export async function writeOwnership(store: Pick<Store, 'insert'>): Promise<void> {
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], LIVE));
  await store.insert(encodeLanes([{ partition: 0, frontier: 1e9, watermark: 1e9, open: [] }], LIVE));
}

/** What a lane decides of the groups, one after the other. */
export function decided({ run, groups, lane: options }: ReplayOf, isReplay: boolean): Effects {
  const lane = createTestLane(options);
  for (const group of groups) lane.fold(...eventsOf(run, group, isReplay));
  return lane.effects();
}

function eventsOf(run: string, group: ReplayedGroup, isReplay: boolean): StepEventInit[] {
  const rewards = isReplay ? (group.after ?? group.before) : group.before;
  const raw = (isReplay ? group.rawAfter : undefined) ?? group.raw;
  const weight_spans = [{ start: 0, version: group.weights ?? '7' }];
  return rewards.flatMap((reward, member) => {
    const ids = group.isGroup === false ? {} : { group_id: group.name, group_size: rewards.length };
    const attempt = attemptOf({ run_id: run, rollout_id: `${group.name}-${member}`, ...ids });
    const call = attempt.call(1, { prompt: [member, 1], sampled: [7, 8, 4_294_967_295], weight_spans });
    return [attempt.start(), call, attempt.end(2, raw), attempt.verdict(reward)];
  });
}

/** Rows of both, as lane and replay write them; the records that a lane would have written for the decisions of the replay. */
export async function writeReplay(
  store: Pick<Store, 'insert'>,
  codecs: Codecs,
  replay: ReplayOf,
  topic = topicNames('').ready,
): Promise<Transaction['records']> {
  const { replayId, made = (row) => row, kept = async (rows) => [...rows] } = replay;
  const live = decided(replay, false).rows;
  await store.insert(encodeDecisions(live.decisions, LIVE));
  await store.insert(encodeTrajectories(live.trajectories, LIVE));
  const effects = decided(replay, true);
  const { decisions, trajectories } = effects.rows;
  const owner = { topic: LIVE.topic, term: 0 };
  const rows = trajectories.map(
    (row): TrajectoryRow => made({ ...row, replay_id: replayId, trajectory: superseding(row.trajectory) }),
  );
  await store.insert(
    encodeDecisions(
      decisions.map((row) => ({ ...row, replay_id: replayId })),
      owner,
    ),
  );
  await store.insert(encodeTrajectories(await kept(rows), owner));
  const encodeRecords = await createEncodeRecords(codecs, { ...topicNames(''), ready: topic }, false, {
    replay: replayId,
  });
  return encodeRecords(
    effects.records.flatMap((out): OutRecord[] =>
      out.topic === 'ready' ? [{ ...out, trajectory: superseding(out.trajectory) }] : [],
    ),
  ).records;
}

function superseding(trajectory: TrajectoryRow['trajectory']): TrajectoryRow['trajectory'] {
  return { ...trajectory, supersedes: `before ${trajectory.rollout_id}` };
}
