import type { InForce } from '../model/control.ts';
import type { Decoded } from '../model/record.ts';

/** What held for a whole partition while its units were decided. */
export interface LaneHistory {
  /** In force when the record at `offset` was folded, that record included. Another object from each change on: two offsets with the same one have no change between them. */
  inForceAt(offset: number): InForce;
  /** Control events about all units (`source_ended`), in order of offset. */
  readonly endings: readonly Decoded[];
}
