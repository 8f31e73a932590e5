import type { InForce } from '../model/control.ts';
import type { Decoded } from '../model/record.ts';

/** What held for a whole partition while its units were decided. */
export interface LaneHistory {
  /** In force when the record at `offset` was folded, that record included. The same object for as long as nothing changed. */
  inForceAt(offset: number): InForce;
  /** Control events about all units (`source_ended`), in order of offset. */
  readonly endings: readonly Decoded[];
}
