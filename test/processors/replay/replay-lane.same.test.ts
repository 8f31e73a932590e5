import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { Audits } from '../../../processors/model/audit-summary.ts';
import type { Effects } from '../../../processors/model/effects.ts';
import type { ReplayedUnit, UnitHistory } from '../../../processors/model/replay.ts';
import { createReplayLane, type ReplayLaneDeps } from '../../../processors/replay/replay-lane.ts';
import { createTestLane, documentsOf, policyText, recordOf, type TestLane } from '../harness.ts';
import { eventOf, type Step, steps } from '../random-log.ts';
import { historiesOf, laneHistoryOf, linesOf } from './histories.ts';

const grouped = (text: string) => documentsOf(policyText(['group:\n', `group:\n  ${text}\n`]));
const DOCUMENTS = [
  documentsOf(),
  grouped('emit: each'),
  grouped('on_fault: drop\n  zero_variance: drop'),
  grouped('on_fault: mask'),
];

interface Lived {
  readonly documents: ReturnType<typeof documentsOf>;
  readonly lane: TestLane;
  readonly effects: Effects;
  readonly histories: readonly UnitHistory[];
}

/** A log as one lane writes and reads it. */
function live(plan: readonly Step[], documents: Lived['documents'], reorderEvents: number): Lived {
  const lane = createTestLane({ documents, reorderEvents, audits: createStreamAudits() });
  for (const step of plan) {
    const event = eventOf(step, lane);
    if (event !== null) lane.foldRecords([recordOf(event, lane.position())]);
  }
  const effects = lane.effects();
  return { documents, lane, effects, histories: historiesOf(effects, lane.state) };
}

function laneOf({ documents, effects }: Lived, over: Partial<ReplayLaneDeps> = {}) {
  return createReplayLane({
    ...{ topic: 'rollout.steps', partition: 0, documents, replayId: 'again', late: 'ignore', withTokens: true },
    ...{ history: laneHistoryOf(effects, documents.inForce), limits: { reorderEvents: 256 }, audits: null },
    ...over,
  });
}

const rowsOf = (units: readonly ReplayedUnit[]) =>
  units.flatMap((unit) => (unit.kind === 'replayed' ? [unit.rows] : []));

/** Rows of the lane about units that are decided: of the others there is nothing to replay. */
function decidedRows({ effects, histories }: Lived) {
  const whole = new Set(histories.filter(({ open }) => open.length === 0).map(({ unit }) => unit));
  const isWhole = ({ unit }: { readonly unit: string }) => whole.has(unit);
  const { decisions, rewards, trajectories, audits } = effects.rows;
  return {
    decisions: decisions.filter(isWhole),
    rewards: rewards.filter(isWhole),
    trajectories: trajectories.filter(isWhole),
    audits: audits.filter(isWhole),
  };
}

describe('a replay under the documents that were in force', () => {
  const audits: ReadonlyArray<readonly [string, Audits | null]> = [
    ['with audits made again', createStreamAudits()],
    ['with what the audits said', null],
  ];
  it.each(audits)('gives the rows of the lane, row for row, %s', (_, made) => {
    fc.assert(
      fc.property(steps, fc.constantFrom(...DOCUMENTS), fc.constantFrom(256, 1), (plan, documents, reorderEvents) => {
        const lived = live(plan, documents, reorderEvents);
        const lane = laneOf(lived, { audits: made, limits: { reorderEvents } });
        const replayed = lived.histories.map((unit) => lane.replay(unit));
        expect(linesOf(rowsOf(replayed))).toEqual(linesOf([decidedRows(lived)]));
      }),
      { numRuns: 400 },
    );
  });
});
