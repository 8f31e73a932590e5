import fc, { type Arbitrary } from 'fast-check';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import { gateEvent, policyEvent } from '../../../processors/control/control-event.ts';
import type { Effects } from '../../../processors/model/effects.ts';
import type { ReplayedRows, ReplayedUnit, UnitHistory } from '../../../processors/model/replay.ts';
import type { LaneHistory } from '../../../processors/replay/lane-history.ts';
import { createReplayLane, type ReplayLaneDeps } from '../../../processors/replay/replay-lane.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createTestLane, documentsOf, policyText, recordOf } from '../harness.ts';
import { eventOf, type Step, steps } from '../random-log.ts';
import { historiesOf, laneHistoryOf } from './histories.ts';

const grouped = (text: string) => policyText(['group:\n', `group:\n  ${text}\n`]);
export const POLICIES = [
  policyText(),
  grouped('emit: each'),
  grouped('on_fault: drop\n  zero_variance: drop'),
  grouped('on_fault: mask'),
  policyText(['retries: 2', 'retries: 0']),
  policyText([
    'completion: { disposition: train, awaits_verdict: true, unscored: null }',
    'completion: { disposition: train_masked, awaits_verdict: false, unscored: 0 }',
  ]),
];
/** The first of `POLICIES` that is in force is the nth. */
const documentsFrom = (first: number) => documentsOf(...POLICIES.slice(first), ...POLICIES.slice(0, first));
const ALL = POLICIES.map((_, first) => documentsFrom(first));
export const IDS = ALL.map(({ inForce }) => inForce.policy_id);

/** What a log holds besides: documents and gates that change. */
const lanewide: Arbitrary<Step> = fc.oneof(
  fc.record({ policy: fc.constantFrom(...IDS), id: fc.nat(999) }).map(({ policy, id }) => {
    const { taxonomy_id } = ALL[0]?.inForce ?? { taxonomy_id: '' };
    return event(policyEvent({ policy_id: policy, taxonomy_id }, `${id}`));
  }),
  fc.record({ state: fc.constantFrom('open' as const, 'hold' as const), seq: fc.nat(5) }).map(({ state, seq }) => {
    return event(gateEvent('run', { state, classes: [], seq }, null, `${seq}`));
  }),
);
const event = (of: StepEventInit): Step => ({ kind: 'event', event: of });

/** Steps of a log, with lane-wide values that change between them. */
const logs: Arbitrary<Step[]> = fc
  .tuple(steps, fc.array(fc.tuple(lanewide, fc.nat(99)), { maxLength: 4 }))
  .map(([plan, changes]) => {
    const all = [...plan];
    for (const [change, at] of changes) all.splice(at % (all.length + 1), 0, change);
    return all;
  });

export interface Lived {
  readonly documents: ReturnType<typeof documentsOf>;
  readonly effects: Effects;
  readonly history: LaneHistory;
  readonly histories: readonly UnitHistory[];
}

/** A log as one lane writes and reads it. */
export function live(plan: readonly Step[], first: number, reorderEvents: number): Lived {
  const documents = documentsFrom(first);
  const lane = createTestLane({ documents, reorderEvents, audits: createStreamAudits() });
  for (const step of plan) {
    const next = eventOf(step, lane);
    if (next !== null) lane.foldRecords([recordOf(next, lane.position())]);
  }
  const effects = lane.effects();
  const history = laneHistoryOf(effects, documents.inForce);
  return { documents, effects, history, histories: historiesOf(effects, lane.state) };
}

export function laneOf({ documents, history }: Lived, reorderEvents: number, over: Partial<ReplayLaneDeps> = {}) {
  return createReplayLane({
    ...{ topic: 'rollout.steps', partition: 0, documents, replayId: 'again', late: 'ignore', withTokens: true },
    ...{ history, limits: { reorderEvents }, audits: null },
    ...over,
  });
}

export const rowsOf = (units: readonly ReplayedUnit[]) =>
  units.flatMap((unit) => (unit.kind === 'replayed' ? [unit.rows] : []));

/** Rows of the lane about units that are decided: of the others there is nothing to replay. */
export function decidedRows({ effects: { rows }, histories }: Pick<Lived, 'effects' | 'histories'>): ReplayedRows {
  const whole = new Set(histories.filter(({ open }) => open.length === 0).map(({ unit }) => unit));
  return rowsOfUnits(rows, whole);
}

export function rowsOfUnits(rows: ReplayedRows, units: ReadonlySet<string>): ReplayedRows {
  const isOf = ({ unit }: { readonly unit: string }) => units.has(unit);
  const { decisions, rewards, trajectories, audits } = rows;
  return {
    decisions: decisions.filter(isOf),
    rewards: rewards.filter(isOf),
    trajectories: trajectories.filter(isOf),
    audits: audits.filter(isOf),
  };
}

/** A log, the policy that is in force first, events that may wait. */
export const anyLog = [logs, fc.nat(POLICIES.length - 1), fc.constantFrom(256, 1)] as const;
