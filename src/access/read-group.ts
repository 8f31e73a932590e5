import type { Store } from '../clickhouse/port.ts';
import type { ExplainedGroup, GroupMember } from './explanation.ts';

interface StartedRow {
  readonly rollout_id: string;
  readonly attempt: number;
}

interface StatsRow {
  readonly group_baseline: string;
  readonly group_n: number;
  readonly group_mean: number | null;
  readonly group_std: number | null;
}

/** The newest attempt of each rollout of a unit, what became of it, and what their advantages were computed from. */
export async function readGroup(
  store: Pick<Store, 'query'>,
  of: { readonly run: string; readonly epoch: number; readonly unit: string },
): Promise<Pick<ExplainedGroup, 'members' | 'stats'>> {
  const where = 'run_id = {run:String} AND epoch = {epoch:Int32} AND unit = {unit:String}';
  const started = await store.query<StartedRow>(
    `SELECT rollout_id, max(attempt) AS attempt FROM rollstream.live_attempts WHERE ${where} GROUP BY rollout_id`,
    of,
  );
  const decided = await store.query<GroupMember>(
    `SELECT rollout_id, attempt, disposition, why, reason_code, reward, reward_valid, advantage, in_loss, in_baseline
     FROM rollstream.live_decisions WHERE ${where} ORDER BY attempt`,
    of,
  );
  const members = new Map<string, GroupMember>(decided.map((row) => [row.rollout_id, row]));
  for (const { rollout_id, attempt } of started)
    if ((members.get(rollout_id)?.attempt ?? -1) < attempt) members.set(rollout_id, openMember(rollout_id, attempt));
  const [stats] = await store.query<StatsRow>(
    `SELECT group_baseline, group_n, group_mean, group_std FROM rollstream.live_trajectories
     WHERE ${where} AND group_n IS NOT NULL LIMIT 1`,
    of,
  );
  return {
    members: [...members.values()].sort((a, b) => (a.rollout_id < b.rollout_id ? -1 : 1)),
    stats: stats === undefined ? null : statsOf(stats),
  };
}

function statsOf({ group_baseline: baseline, group_n: n, group_mean: mean, group_std: std }: StatsRow) {
  return { baseline, n, mean, std };
}

function openMember(rolloutId: string, attempt: number): GroupMember {
  return {
    ...{ rollout_id: rolloutId, attempt, disposition: null, why: [], reason_code: '', reward: null },
    ...{ reward_valid: false, advantage: null, in_loss: false, in_baseline: false },
  };
}
