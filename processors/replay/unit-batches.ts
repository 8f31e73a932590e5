import type { LaneState } from '../model/lane-state.ts';
import type { Decoded } from '../model/record.ts';
import type { ComparedDecision } from '../model/replay.ts';
import type { LaneHistory } from './lane-history.ts';
import { stillDue } from './still-due.ts';

/**
 * The records of a unit in the batches that a lane may fold as one: what is in force is the same for all of a batch, in
 * `state.inForce` when it is handed out. In most units that is one batch. Producers that ended are folded in their place, for as
 * long as the unit is open, up to the offset `last`. Each batch must have been folded before the next is asked for.
 */
export function* unitBatches(
  state: LaneState,
  { inForceAt, endings }: LaneHistory,
  records: readonly Decoded[],
  last: number,
  decided: ReadonlyMap<string, Pick<ComparedDecision, 'offset'>>,
): Generator<readonly Decoded[]> {
  const first = records[0]?.cause.offset ?? last;
  let ending = firstAfter(endings, first);
  let from = 0;
  state.inForce = inForceAt(first);
  for (let at = 0; at < records.length; at++) {
    const record = records[at];
    if (record === undefined) continue;
    const { offset } = record.cause;
    const isDeadline = record.event.kind === 'control';
    const isEnding = (endings[ending]?.cause.offset ?? Number.POSITIVE_INFINITY) < offset;
    const inForce = inForceAt(offset);
    if (!isDeadline && !isEnding && inForce === state.inForce) continue;
    if (at > from) yield records.slice(from, at);
    from = at;
    for (; (endings[ending]?.cause.offset ?? Number.POSITIVE_INFINITY) < offset; ending++)
      yield* endingAt(state, inForceAt, endings[ending]);
    state.inForce = inForce;
    if (!isDeadline) continue;
    yield [stillDue(state, record, decided)];
    from = at + 1;
  }
  if (from === 0) yield records;
  else if (from < records.length) yield records.slice(from);
  for (; state.units.size > 0 && (endings[ending]?.cause.offset ?? Number.POSITIVE_INFINITY) <= last; ending++)
    yield* endingAt(state, inForceAt, endings[ending]);
}

function* endingAt(
  state: LaneState,
  inForceAt: LaneHistory['inForceAt'],
  ending: Decoded | undefined,
): Generator<readonly Decoded[]> {
  if (ending === undefined || state.units.size === 0) return;
  state.inForce = inForceAt(ending.cause.offset);
  yield [ending];
}

/** Place of the first of `records`, which are in order of offset, above `offset`. */
function firstAfter(records: readonly Decoded[], offset: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.cause.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
