import type { Store } from '../clickhouse/port.ts';
import type { ReplayedJson } from './replayed-json.ts';

interface Place {
  readonly runId: string;
  readonly unit: string;
  readonly rolloutId: string;
  /** Attempts that were decided live. */
  readonly decisions: ReadonlyArray<{ readonly attempt: number; readonly partition: number; readonly offset: number }>;
}

type Replayed = ReplayedJson & { readonly attempt: number };

interface UnitReplay {
  readonly replay_id: string;
  readonly label: string;
  readonly ended_at: string;
  /** Offset that it saw the partition below. */
  readonly end: number;
}

const REPLAYS = `SELECT replay_id, any(f.label) AS label, toString(any(f.ended_at)) AS ended_at, any(u.end) AS end
  FROM rollstream.replayed_units AS u INNER JOIN rollstream.finished_replays AS f ON f.replay_id = u.replay_id
  WHERE u.run_id = {run:String} AND u.unit = {unit:String}
  GROUP BY u.replay_id AS replay_id ORDER BY ended_at, replay_id`;

const DECISIONS = `SELECT d.attempt AS attempt, d.replay_id AS replay_id, d.reason_code AS reason_code, d.category AS category,
    d.disposition AS disposition, d.why AS why, d.reward AS reward, d.reward_valid AS reward_valid, d.advantage AS advantage,
    d.policy_id AS policy_id, d.taxonomy_id AS taxonomy_id, s.scorers AS scorers, e.topic AS emitted_to
  FROM rollstream.decisions AS d FINAL
  LEFT JOIN (
    SELECT attempt, replay_id, arraySort(groupUniqArray(trimRight(concat(scorer, ' ', scorer_version)))) AS scorers
    FROM rollstream.rewards
    WHERE run_id = {run:String} AND unit = {unit:String} AND rollout_id = {rollout:String} AND replay_id IN {replays:Array(String)}
    GROUP BY attempt, replay_id
  ) AS s ON s.attempt = d.attempt AND s.replay_id = d.replay_id
  LEFT JOIN (
    SELECT attempt, replay_id, topic FROM rollstream.replay_emitted FINAL
    WHERE run_id = {run:String} AND unit = {unit:String} AND rollout_id = {rollout:String}
  ) AS e ON e.attempt = d.attempt AND e.replay_id = d.replay_id
  WHERE d.run_id = {run:String} AND d.unit = {unit:String} AND d.rollout_id = {rollout:String}
    AND d.replay_id IN {replays:Array(String)}`;

/** How finished replays decided the attempts of a rollout: by attempt, the oldest replay first. */
export async function readReplayed(
  store: Pick<Store, 'query'>,
  { runId, unit, rolloutId, decisions }: Place,
): Promise<Replayed[]> {
  const replays = await store.query<UnitReplay>(REPLAYS, { run: runId, unit });
  if (replays.length === 0) return [];
  const rows = await store.query<NonNullable<ReplayedJson['decision']> & { replay_id: string; attempt: number }>(
    DECISIONS,
    { run: runId, unit, rollout: rolloutId, replays: replays.map(({ replay_id }) => replay_id) },
  );
  const attempts = new Set([...decisions, ...rows].map(({ attempt }) => attempt));
  return [...attempts]
    .sort((a, b) => a - b)
    .flatMap((attempt) =>
      replays.flatMap(({ replay_id, label, ended_at, end }, index): Replayed[] => {
        const found = rows.find((row) => row.attempt === attempt && row.replay_id === replay_id);
        const live = decisions.find((row) => row.attempt === attempt);
        // What came behind its end it did not see.
        if (found === undefined && (live === undefined || live.offset >= end)) return [];
        const latest = index === replays.length - 1;
        return [{ attempt, replay_id, label, ended_at, latest, decision: found ?? null }];
      }),
    );
}
