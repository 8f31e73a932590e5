import type { Store } from '../clickhouse/port.ts';
import { lookupTrajectories } from '../clickhouse/trajectory-lookup.ts';
import { RollstreamError } from '../errors.ts';
import { explainRollout, groupOf, type KnownAttempt } from '../explain/explain-rollout.ts';
import { createPolicyRecall, type PolicyRecall } from '../explain/recall-policy.ts';
import { verdictsWithStanding } from '../explain/verdicts-with-standing.ts';
import { completeTrajectory } from '../ready/complete-trajectory.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import type { DecisionJson, ExplainedRollout, Explanation, JsonRow, VerdictJson } from './explanation.ts';
import { readClosingRecord } from './read-closing-record.ts';
import { readDeliveries } from './read-deliveries.ts';
import { readGroup } from './read-group.ts';
import { readHeldBy } from './read-held-by.ts';
import { readReplayed } from './read-replayed.ts';

interface Place extends JsonRow {
  readonly run_id: string;
  readonly epoch: number;
  /** A group, or the rollout alone: one id may stand in several groups of a run. */
  readonly unit: string;
}

interface AttemptRow extends JsonRow {
  readonly attempt: number;
}

interface RecordPlace extends JsonRow {
  readonly partition: number;
  readonly offset: number;
}

interface UnitRow extends AttemptRow {
  readonly group_id: string | null;
  readonly group_size: number | null;
}

/** Bookkeeping of the lanes, and packed arrays that `trajectory` has already. */
const STEP_COLUMNS =
  '* EXCEPT (prompt_delta_ids, completion_ids, completion_logprobs, event_time, topic, term, version)';
const COLUMNS = '* EXCEPT (event_time, topic, term, version)';

const PLACES = ['attempts', 'decisions', 'step_faults']
  .map(
    (table) => `SELECT run_id, epoch, unit, ${table === 'step_faults'} AS only_refused
      FROM rollstream.live_${table} WHERE rollout_id = {rollout:String}`,
  )
  .join(' UNION ALL ');

export interface ExplainDeps {
  readonly store: Store;
  /** The configured policy: its name is shown where it decided. */
  readonly policyFile: string | undefined;
}

/** From the store alone: rows that count, by run, epoch and unit; units where it only was refused come last. RS_NOT_FOUND when there is none. */
export async function readExplanation(
  { store, policyFile }: ExplainDeps,
  rolloutId: string,
  runId: string | null,
): Promise<Explanation> {
  const places = await store.query<Place>(
    `SELECT run_id, epoch, unit FROM (${PLACES}) GROUP BY run_id, epoch, unit ORDER BY run_id, epoch, min(only_refused), unit`,
    { rollout: rolloutId },
  );
  const wanted = places.filter((place) => runId === null || place.run_id === runId);
  if (wanted.length === 0) {
    const where = runId === null ? '' : ` in run ${runId}`;
    throw new RollstreamError('RS_NOT_FOUND', `no rollout is named ${rolloutId}${where}`, {
      facts: { record: rolloutId },
    });
  }
  const recall = createPolicyRecall(store, policyFile);
  const rollouts: ExplainedRollout[] = [];
  for (const place of wanted) rollouts.push(await readRollout(store, recall, rolloutId, place));
  return { rollout_id: rolloutId, rollouts };
}

async function readRollout(
  store: Store,
  recall: PolicyRecall,
  rolloutId: string,
  { run_id, epoch, unit }: Place,
): Promise<ExplainedRollout> {
  const rows = <Row extends AttemptRow>(table: string, columns: string, order: string): Promise<Row[]> =>
    store.query<Row>(
      `SELECT ${columns} FROM rollstream.live_${table}
      WHERE run_id = {run:String} AND epoch = {epoch:Int32} AND unit = {unit:String} AND rollout_id = {rollout:String}
      ORDER BY ${order}`,
      { run: run_id, epoch, unit, rollout: rolloutId },
    );
  const started = await rows<UnitRow>('attempts', COLUMNS, 'attempt');
  const decisions = await rows<DecisionJson & UnitRow>('decisions', COLUMNS, 'attempt');
  const rewards = await rows('rewards', COLUMNS, 'scorer, turn, component');
  const verdicts = await rows<VerdictJson & AttemptRow>('verdicts', COLUMNS, 'offset');
  const audits = await store.query<AttemptRow & RecordPlace>(
    `SELECT ${COLUMNS} FROM rollstream.live_audits
    WHERE run_id = {run:String} AND epoch = {epoch:Int32} AND rollout_id = {rollout:String} ORDER BY audit, turn, index`,
    { run: run_id, epoch, rollout: rolloutId },
  );
  const steps = await rows('steps', STEP_COLUMNS, 'offset');
  const faults = await rows('step_faults', STEP_COLUMNS, 'offset');
  const trajectories = (await lookupTrajectories(store, { rolloutId, runId: run_id, unit }))
    .filter((trajectory) => trajectory.epoch === epoch)
    .map((trajectory) => unpackTrajectory(completeTrajectory(trajectory)));
  const newest = decisions.at(-1) ?? started.at(-1);
  const found =
    newest === undefined || newest.group_id === null ? null : await readGroup(store, { run: run_id, epoch, unit });

  const of = <Row extends { readonly attempt: number }>(list: readonly Row[], attempt: number) =>
    list.filter((row) => row.attempt === attempt);
  const numbers = new Set([...started, ...decisions, ...faults].map((row) => row.attempt));
  const heldBy = await readHeldBy(store, { runId: run_id, unit, rolloutId, decisions });
  const deliveries = await readDeliveries(store, { runId: run_id, unit, rolloutId });
  const replayed = await readReplayed(store, { runId: run_id, unit, rolloutId, decisions });
  const attempts: KnownAttempt[] = [];
  for (const attempt of [...numbers].sort((a, b) => a - b)) {
    const decision = of(decisions, attempt)[0] ?? null;
    const held = heldBy.get(attempt);
    const delivered = of(deliveries, attempt);
    const scoredAgain = of(replayed, attempt).map(({ attempt: _, ...replay }) => replay);
    const rollouts = [rolloutId, ...(found?.members ?? []).map((member) => member.rollout_id)];
    attempts.push({
      attempt,
      started: of(started, attempt)[0] ?? null,
      decision,
      closed_by: decision === null ? null : await readClosingRecord(store, decision, { run: run_id, rollouts }),
      rewards: of(rewards, attempt),
      verdicts: verdictsWithStanding(of(verdicts, attempt)),
      steps: of(steps, attempt),
      step_faults: of(faults, attempt),
      // They know no unit, but the record at which they were found: the one that decided.
      audits: of(audits, attempt).filter(
        (row) => row.partition === decision?.partition && row.offset === decision.offset,
      ),
      trajectory: trajectories.find((trajectory) => trajectory.attempt === attempt) ?? null,
      ...(held === undefined ? {} : { held }),
      ...(delivered.length === 0 ? {} : { deliveries: delivered }),
      ...(scoredAgain.length === 0 ? {} : { replays: scoredAgain }),
      recalled: decision === null ? null : await recall.policyOf(decision.policy_id),
    });
  }
  const group = newest === undefined || found === null ? null : groupOf(newest, found, { attempts, runId: run_id });
  const shipped = attempts.some(({ decision }) => decision !== null && !decision.in_loss) ? await recall.shipped() : [];
  return explainRollout({ runId: run_id, epoch, unit, group, attempts, shipped });
}
