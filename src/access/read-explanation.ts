import type { Store } from '../clickhouse/port.ts';
import { lookupTrajectories } from '../clickhouse/trajectory-lookup.ts';
import { RollstreamError } from '../errors.ts';
import { completeTrajectory } from '../ready/complete-trajectory.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import type { ExplainedAttempt, ExplainedRollout, Explanation, JsonRow } from './explanation.ts';

interface Place extends JsonRow {
  readonly run_id: string;
  readonly epoch: number;
}

interface AttemptRow extends JsonRow {
  readonly attempt: number;
}

/** Bookkeeping of the lanes, and packed arrays that `trajectory` has already. */
const STEP_COLUMNS =
  '* EXCEPT (prompt_delta_ids, completion_ids, completion_logprobs, event_time, topic, term, version)';
const COLUMNS = '* EXCEPT (event_time, topic, term, version)';

/** From the store alone: rows that count, by run and epoch. RS_NOT_FOUND when there is none. */
export async function readExplanation(store: Store, rolloutId: string, runId: string | null): Promise<Explanation> {
  const places = await store.query<Place>(
    ['attempts', 'decisions', 'step_faults']
      .map((table) => `SELECT run_id, epoch FROM rollstream.live_${table} WHERE rollout_id = {rollout:String}`)
      .join(' UNION DISTINCT '),
    { rollout: rolloutId },
  );
  const wanted = places.filter((place) => runId === null || place.run_id === runId).sort(byRunAndEpoch);
  if (wanted.length === 0) {
    const where = runId === null ? '' : ` in run ${runId}`;
    throw new RollstreamError('RS_NOT_FOUND', `no rollout is named ${rolloutId}${where}`, {
      facts: { record: rolloutId },
    });
  }
  const rollouts: ExplainedRollout[] = [];
  for (const place of wanted) rollouts.push(await explainRollout(store, rolloutId, place));
  return { rollout_id: rolloutId, rollouts };
}

async function explainRollout(store: Store, rolloutId: string, { run_id, epoch }: Place): Promise<ExplainedRollout> {
  const rows = (table: string, columns: string, order: string): Promise<AttemptRow[]> =>
    store.query<AttemptRow>(
      `SELECT ${columns} FROM rollstream.live_${table}
      WHERE run_id = {run:String} AND epoch = {epoch:Int32} AND rollout_id = {rollout:String} ORDER BY ${order}`,
      { run: run_id, epoch, rollout: rolloutId },
    );
  const started = await rows('attempts', COLUMNS, 'attempt');
  const decisions = await rows('decisions', COLUMNS, 'attempt');
  const rewards = await rows('rewards', COLUMNS, 'scorer, turn, component');
  const verdicts = await rows('verdicts', COLUMNS, 'offset');
  const audits = await rows('audits', COLUMNS, 'audit, turn, index');
  const steps = await rows('steps', STEP_COLUMNS, 'offset');
  const faults = await rows('step_faults', STEP_COLUMNS, 'offset');
  const trajectories = (await lookupTrajectories(store, { rolloutId, runId: run_id }))
    .filter((trajectory) => trajectory.epoch === epoch)
    .map((trajectory) => unpackTrajectory(completeTrajectory(trajectory)));

  const of = (list: readonly AttemptRow[], attempt: number) => list.filter((row) => row.attempt === attempt);
  const numbers = new Set([...started, ...decisions, ...faults].map((row) => row.attempt));
  const attempts = [...numbers]
    .sort((a, b) => a - b)
    .map(
      (attempt): ExplainedAttempt => ({
        attempt,
        started: of(started, attempt)[0] ?? null,
        decision: of(decisions, attempt)[0] ?? null,
        rewards: of(rewards, attempt),
        verdicts: of(verdicts, attempt),
        steps: of(steps, attempt),
        step_faults: of(faults, attempt),
        audits: of(audits, attempt),
        trajectory: trajectories.find((trajectory) => trajectory.attempt === attempt) ?? null,
      }),
    );
  return { run_id, epoch, attempts };
}

function byRunAndEpoch(a: Place, b: Place): number {
  return a.run_id === b.run_id ? a.epoch - b.epoch : a.run_id < b.run_id ? -1 : 1;
}
