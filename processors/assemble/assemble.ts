import { Observable, type OperatorFunction } from 'rxjs';
import type { Candidate } from '../model/closing.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';
import { foldControl } from './fold-control.ts';
import { recallDecisions } from './open-unit.ts';
import { type AssembleRules, foldEvent } from './reduce.ts';

export type AssembleIn = readonly Decoded[];
export type AssembleOut = readonly Candidate[];

/**
 * Events → attempts. Hands a batch down in waves: before an event of a unit is folded, what the wave holds of that unit is
 * decided (the stages below run synchronously), since what may still come depends on it: 1 an attempt ends @7: retry;
 * 2 attempt 1 starts @8 in the same batch, and must find that decision.
 */
export function createAssemble(state: LaneState, rules: AssembleRules): OperatorFunction<AssembleIn, AssembleOut> {
  return function assemble(batches) {
    return new Observable((below) => {
      let wave: Candidate[] = [];
      const touched = new Set<string>();
      const handDown = () => {
        if (wave.length === 0) return;
        const candidates = wave;
        wave = [];
        touched.clear();
        below.next(candidates);
      };
      const fold = ({ unit: key, event, cause }: Decoded) => {
        const partitionWide = event.kind === 'control' && key === '';
        if (touched.has(key) || (partitionWide && wave.length > 0) || event.control?.policy) handDown();
        const known = state.units.get(key);
        // Exact where the decoder was coarse: a unit that closed in this batch is not open any more.
        if (known === undefined && !partitionWide && cause.offset < state.restored && !state.starts.has(cause.offset))
          return;
        if (known !== undefined) recallDecisions(state, known, cause.offset - 1);
        const before = wave.length;
        if (event.kind === 'control') foldControl(state, key, event, cause, wave);
        else foldEvent(state, key, event, cause, rules, wave);
        const unit = state.units.get(key);
        if (unit !== undefined && cause.offset < state.restored) recallDecisions(state, unit, cause.offset);
        if (wave.length === before) return;
        if (partitionWide) handDown();
        else touched.add(key);
      };
      return batches.subscribe({
        next: (batch) => {
          for (const decoded of batch) fold(decoded);
          handDown();
        },
        error: (error: unknown) => below.error(error),
        complete: () => below.complete(),
      });
    });
  };
}
