import { map, type OperatorFunction } from 'rxjs';
import type { AgedLeaver, AgedLeaving, Leaver, Leaving, WeightsAge } from '../model/closing.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement } from '../model/judgement.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Policy, StalenessRule } from '../model/policy.ts';
import type { RunWeights } from '../model/weights.ts';
import { type SampledBy, sampledBy, weightRangeOf } from './weight-range.ts';

type Action = StalenessRule['over'] | 'keep';

/** What is asked of an attempt outweighs what is asked less of it. */
const SEVERITY: Readonly<Record<Action, number>> = { keep: 0, mask_tokens: 1, mask_rollout: 2, drop: 3 };

/**
 * How old the weights are that sampled each leaver, by the versions in force AS OF THE CLOSING OFFSET, and what the policy makes
 * of it. After the group: what is stale is out of the loss and in the baseline, so that siblings do not depend on it.
 * 1 A ends @10, its version 3 is 1 behind; 2 version 5 is announced @12; 3 B ends @14 and closes their group: A is 2 behind.
 */
export function createStaleness(
  state: LaneState,
  policyInForce: () => Policy,
): OperatorFunction<readonly Leaving[], AgedLeaving[]> {
  const age = (leaver: Leaver): AgedLeaver => {
    const { run_id, env_name } = leaver.attempt.identity;
    const announced = state.inForce.weights.get(run_id) ?? null;
    return agedBy(leaver, announced, policyInForce().scopeOf(run_id, env_name).staleness);
  };
  return map((leavings) =>
    leavings.map(({ unit, cause, members, groupSizeActual }) =>
      renumbered({ unit, cause, members: members.map(age), groupSizeActual }),
    ),
  );
}

function agedBy(leaver: Leaver, announced: RunWeights | null, rule: StalenessRule): AgedLeaver {
  const by = sampledBy(leaver.attempt.segments);
  const { min, max } = weightRangeOf(by, announced);
  const oldest = announced === null || min === null ? undefined : announced.ordinals.get(min);
  const isKnown = !by.hasUnknown && by.versions.every((version) => announced?.ordinals.has(version));
  const lag = isKnown && announced !== null && oldest !== undefined ? announced.current - oldest : null;
  const { judgement, masked } = ruled(leaver.judgement, by, { isKnown, over: overLimit(by, announced, rule), rule });
  // Field by field: a spread leaves an object that V8 holds as a hash table.
  const { attempt, advantage, groupStats, groupIndex } = leaver;
  return { attempt, judgement, advantage, groupStats, groupIndex, weights: { min, max, lag, masked } };
}

/** Versions that are known to be over the limit, also beside tokens of which nothing is known. */
function overLimit(
  { versions }: SampledBy,
  announced: RunWeights | null,
  { maxLag }: StalenessRule,
): readonly string[] {
  if (announced === null || maxLag === null) return NOTHING;
  return versions.filter((version) => {
    const ordinal = announced.ordinals.get(version);
    return ordinal !== undefined && announced.current - ordinal > maxLag;
  });
}

interface Age {
  readonly isKnown: boolean;
  readonly over: readonly string[];
  readonly rule: StalenessRule;
}

function ruled(
  judgement: Judgement,
  by: SampledBy,
  { isKnown, over, rule }: Age,
): { readonly judgement: Judgement; readonly masked: WeightsAge['masked'] } {
  const nothingSampled = by.versions.length === 0 && !by.hasUnknown;
  if (!isKept(judgement.ruling) || nothingSampled || (isKnown && over.length === 0)) return { judgement, masked: NONE };
  const forAge: Action = over.length === 0 ? 'keep' : rule.over;
  const forUnknown: Action = isKnown ? 'keep' : rule.unknown;
  const action = SEVERITY[forAge] >= SEVERITY[forUnknown] ? forAge : forUnknown;
  const isByAge = action === forAge;
  const found = [...(forAge === 'keep' ? [] : ['stale']), ...(forUnknown === 'keep' ? [] : ['weights_unknown'])];
  const why = isByAge ? found : found.reverse();
  const whole = {
    why: [...why, ...judgement.why],
    rule: isByAge ? 'staleness.over' : 'staleness.unknown',
    inLoss: false,
  };
  if (action === 'drop') return { judgement: { ...judgement, ...whole, ruling: 'drop' }, masked: NONE };
  if (action === 'keep' || !judgement.inLoss) return { judgement, masked: NONE };
  const isAllOver = !by.hasUnknown && over.length === by.versions.length;
  if (action === 'mask_rollout' || isAllOver)
    return { judgement: { ...judgement, ...whole, ruling: 'train_masked' }, masked: NONE };
  return { judgement: { ...judgement, why: [...judgement.why, 'stale_tokens'] }, masked: new Set(over) };
}

const NONE: ReadonlySet<string> = new Set();
const NOTHING: readonly string[] = [];

/** A reader of ready waits for as many members as `groupSizeActual` says: those that went elsewhere are none of them. */
function renumbered(leaving: AgedLeaving): AgedLeaving {
  if (!leaving.members.some(({ groupIndex, judgement }) => groupIndex !== null && !isKept(judgement.ruling)))
    return leaving;
  let place = 0;
  const members = leaving.members.map((member) =>
    member.groupIndex === null ? member : { ...member, groupIndex: isKept(member.judgement.ruling) ? place++ : null },
  );
  return { ...leaving, members, groupSizeActual: place };
}
