import type { Audits } from '../../../processors/model/audit-summary.ts';
import type { Effects } from '../../../processors/model/effects.ts';
import type { NewVerdict, ReplayedUnit, UnitHistory } from '../../../processors/model/replay.ts';
import { createReplayLane, type ReplayLaneDeps } from '../../../processors/replay/replay-lane.ts';
import type { StepEventInit, VerdictInit } from '../../../schemas/generated/step-event.ts';
import { createTestLane, documentsOf, policyText, type TestLane } from '../harness.ts';
import { historiesOf, laneHistoryOf } from './histories.ts';

export type SceneDocuments = ReturnType<typeof documentsOf>;

/** A policy that decides a completion when it ends, and knows no spread to divide by. */
export const HASTY = policyText([
  'completion: { disposition: train, awaits_verdict: true, unscored: null }',
  'completion: { disposition: train_masked, awaits_verdict: false, unscored: 0 }',
]);
export const PATIENT = policyText();
export const NO_RETRIES = policyText(['retries: 2', 'retries: 0']);

export interface Scene {
  readonly lane: TestLane;
  readonly documents: SceneDocuments;
  readonly effects: Effects;
  readonly histories: readonly UnitHistory[];
}

/** What a lane makes of events, the first policy being in force; each is at the next offset, from 0. */
export function lived(
  policies: readonly string[],
  events: ReadonlyArray<StepEventInit | ((lane: TestLane) => StepEventInit)>,
  audits?: Audits,
): Scene {
  const documents = documentsOf(...policies);
  const lane = createTestLane({ documents, ...(audits && { audits }) });
  for (const event of events) lane.fold(typeof event === 'function' ? event(lane) : event);
  const effects = lane.effects();
  return { lane, documents, effects, histories: historiesOf(effects, lane.state) };
}

export interface Again extends Partial<ReplayLaneDeps> {
  /** Text of the policy that decides; absent: as it was. */
  readonly policy?: string;
  readonly newVerdicts?: readonly NewVerdict[];
}

/** Each unit of a scene replayed; what the audits said stands. */
export function replayed(scene: Scene, { policy, newVerdicts = [], ...over }: Again = {}): ReplayedUnit[] {
  const { documents, effects, histories } = scene;
  const override = policy === undefined ? {} : { policy_id: documentsOf(policy).inForce.policy_id };
  const lane = createReplayLane({
    ...{ topic: 'rollout.steps', partition: 0, documents, replayId: 'again', late: 'ignore', withTokens: true },
    ...{ history: laneHistoryOf(effects, documents.inForce, override), limits: { reorderEvents: 256 }, audits: null },
    ...over,
  });
  return histories.map((unit) => lane.replay({ ...unit, newVerdicts }));
}

/** Rows of the only unit. */
export function rowsOf(units: readonly ReplayedUnit[]) {
  const [unit] = units;
  if (unit?.kind !== 'replayed' || units.length > 1) throw new Error(`not one unit: ${JSON.stringify(units)}`);
  return { ...unit.rows, vanished: unit.vanished };
}

/** What became of each attempt, where, and with which reward. */
export function outcomesOf(units: readonly ReplayedUnit[]) {
  return units.flatMap((unit) =>
    unit.kind === 'refused'
      ? []
      : unit.rows.decisions.map(({ rollout_id, attempt, disposition, why, reward, offset }) => [
          `${rollout_id}/${attempt} ${disposition} ${why[0]} @${offset}`,
          reward,
        ]),
  );
}

export function newVerdict(reward: number | null, over: Partial<VerdictInit> = {}): NewVerdict {
  return {
    rolloutId: 'r',
    attempt: 0,
    verdict: {
      ...{ scorer: 'scorer', scorer_version: '2', status: 'scored', rewards: { reward }, bound_to: null },
      ...{ report_json: null, ...over },
    },
  };
}
