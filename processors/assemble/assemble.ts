import { map, type OperatorFunction } from 'rxjs';
import type { Candidate } from '../model/closing.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';
import { foldControl } from './fold-control.ts';
import { recallDecisions } from './open-unit.ts';
import { type AssembleRules, foldEvent } from './reduce.ts';

export type AssembleIn = readonly Decoded[];
/** The waves of a batch. Each is folded when it is asked for: by then the one before must have been decided. */
export type AssembleOut = Iterable<readonly Candidate[]>;

/**
 * Events → attempts, in waves: before an event of a unit is folded, what the wave holds of that unit is decided, since what may
 * still come depends on it: 1 an attempt ends @7: retry; 2 attempt 1 starts @8 in the same batch, and must find that decision.
 */
export function createAssemble(state: LaneState, rules: AssembleRules): OperatorFunction<AssembleIn, AssembleOut> {
  return map((batch) => wavesOf(state, rules, batch));
}

function* wavesOf(state: LaneState, rules: AssembleRules, batch: AssembleIn): Generator<readonly Candidate[]> {
  let wave: Candidate[] = [];
  const touched = new Set<string>();
  const taken = (): readonly Candidate[] => {
    const candidates = wave;
    wave = [];
    touched.clear();
    return candidates;
  };
  for (const { unit: key, event, cause } of batch) {
    const partitionWide = event.kind === 'control' && key === '';
    const isDue = touched.has(key) || partitionWide || event.control?.policy;
    if (isDue && wave.length > 0) yield taken();
    const known = state.units.get(key);
    // Exact where the decoder was coarse: a unit that closed in this batch is not open any more.
    if (known === undefined && !partitionWide && cause.offset < state.restored && !state.starts.has(cause.offset))
      continue;
    if (known !== undefined) recallDecisions(state, known, cause.offset - 1);
    const before = wave.length;
    if (event.kind === 'control') foldControl(state, key, event, cause, wave);
    else foldEvent(state, key, event, cause, rules, wave);
    const unit = state.units.get(key);
    if (unit !== undefined && cause.offset < state.restored) recallDecisions(state, unit, cause.offset);
    if (wave.length === before) continue;
    if (partitionWide) yield taken();
    else touched.add(key);
  }
  if (wave.length > 0) yield taken();
}
