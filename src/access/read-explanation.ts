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
import { readGroup } from './read-group.ts';

interface Place extends JsonRow {
  readonly run_id: string;
  readonly epoch: number;
}

interface AttemptRow extends JsonRow {
  readonly attempt: number;
}

interface UnitRow extends AttemptRow {
  readonly unit: string;
  readonly group_id: string | null;
  readonly group_size: number | null;
}

/** Bookkeeping of the lanes, and packed arrays that `trajectory` has already. */
const STEP_COLUMNS =
  '* EXCEPT (prompt_delta_ids, completion_ids, completion_logprobs, event_time, topic, term, version)';
const COLUMNS = '* EXCEPT (event_time, topic, term, version)';

export interface ExplainDeps {
  readonly store: Store;
  /** The configured policy: its name is shown where it decided. */
  readonly policyFile: string | undefined;
}

/** From the store alone: rows that count, by run and epoch. RS_NOT_FOUND when there is none. */
export async function readExplanation(
  { store, policyFile }: ExplainDeps,
  rolloutId: string,
  runId: string | null,
): Promise<Explanation> {
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
  const recall = createPolicyRecall(store, policyFile);
  const rollouts: ExplainedRollout[] = [];
  for (const place of wanted) rollouts.push(await readRollout(store, recall, rolloutId, place));
  return { rollout_id: rolloutId, rollouts };
}

async function readRollout(
  store: Store,
  recall: PolicyRecall,
  rolloutId: string,
  { run_id, epoch }: Place,
): Promise<ExplainedRollout> {
  const rows = <Row extends AttemptRow>(table: string, columns: string, order: string): Promise<Row[]> =>
    store.query<Row>(
      `SELECT ${columns} FROM rollstream.live_${table}
      WHERE run_id = {run:String} AND epoch = {epoch:Int32} AND rollout_id = {rollout:String} ORDER BY ${order}`,
      { run: run_id, epoch, rollout: rolloutId },
    );
  const started = await rows<UnitRow>('attempts', COLUMNS, 'attempt');
  const decisions = await rows<DecisionJson & UnitRow>('decisions', COLUMNS, 'attempt');
  const rewards = await rows('rewards', COLUMNS, 'scorer, turn, component');
  const verdicts = await rows<VerdictJson & AttemptRow>('verdicts', COLUMNS, 'offset');
  const audits = await rows('audits', COLUMNS, 'audit, turn, index');
  const steps = await rows('steps', STEP_COLUMNS, 'offset');
  const faults = await rows('step_faults', STEP_COLUMNS, 'offset');
  const trajectories = (await lookupTrajectories(store, { rolloutId, runId: run_id }))
    .filter((trajectory) => trajectory.epoch === epoch)
    .map((trajectory) => unpackTrajectory(completeTrajectory(trajectory)));
  const unit = decisions.at(-1) ?? started.at(-1);
  const found =
    unit === undefined || unit.group_id === null
      ? null
      : await readGroup(store, { run: run_id, epoch, unit: unit.unit });

  const of = <Row extends AttemptRow>(list: readonly Row[], attempt: number) =>
    list.filter((row) => row.attempt === attempt);
  const numbers = new Set([...started, ...decisions, ...faults].map((row) => row.attempt));
  const attempts: KnownAttempt[] = [];
  for (const attempt of [...numbers].sort((a, b) => a - b)) {
    const decision = of(decisions, attempt)[0] ?? null;
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
      audits: of(audits, attempt),
      trajectory: trajectories.find((trajectory) => trajectory.attempt === attempt) ?? null,
      recalled: decision === null ? null : await recall.policyOf(decision.policy_id),
    });
  }
  const group = unit === undefined || found === null ? null : groupOf(unit, found, { attempts, runId: run_id });
  const shipped = attempts.some(({ decision }) => decision !== null && !decision.in_loss) ? await recall.shipped() : [];
  return explainRollout({ runId: run_id, epoch, group, attempts, shipped });
}

function byRunAndEpoch(a: Place, b: Place): number {
  return a.run_id === b.run_id ? a.epoch - b.epoch : a.run_id < b.run_id ? -1 : 1;
}
