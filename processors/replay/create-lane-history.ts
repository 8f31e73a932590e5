import type { DocumentIds, InForce } from '../model/control.ts';
import { nextInForce } from '../model/next-in-force.ts';
import type { Decoded } from '../model/record.ts';
import type { LaneHistory } from './lane-history.ts';

export interface LaneHistoryDeps {
  /** Control events of a partition that are about all its units (no key), in order of offset: policies, weights, gates, producers that ended. Others among them are passed over. */
  readonly controls: readonly Decoded[];
  /** In force before the first of them. */
  readonly initial: InForce;
  /** Documents that decide in place of those that did then. */
  readonly override: Partial<DocumentIds>;
}

/** The values of a lane by offset. Asked for rising offsets it answers at once; for others it looks again. */
export function createLaneHistory({ controls, initial, override }: LaneHistoryDeps): LaneHistory {
  const offsets: number[] = [];
  const values: InForce[] = [];
  const endings: Decoded[] = [];
  const first: InForce = { ...initial, ...override };
  let last = first;
  for (const record of controls) {
    const { event, cause } = record;
    if (event.control === null) continue;
    if (event.control.deadline?.name === 'source_ended') endings.push(record);
    const next = nextInForce(last, event.run_id, event.control);
    if (next === last) continue;
    last = { ...next, ...override };
    offsets.push(cause.offset);
    values.push(last);
  }

  /** Changes at or below `offset`. Holds: offsets[place - 1] ≤ the last offset asked for < offsets[place]. */
  let place = 0;
  const placeOf = (offset: number): number => {
    if (isPlaceOf(offset)) return place;
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const isPlaceOf = (offset: number): boolean =>
    (place === 0 || (offsets[place - 1] ?? 0) <= offset) &&
    (place === offsets.length || offset < (offsets[place] ?? 0));
  return {
    endings,
    inForceAt(offset) {
      place = placeOf(offset);
      return place === 0 ? first : (values[place - 1] ?? first);
    },
  };
}
