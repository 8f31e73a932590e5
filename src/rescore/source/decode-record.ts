import { eventFault } from '../../../processors/decode/event-faults.ts';
import type { Outcome } from '../../../processors/model/outcome.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import { unitOf } from '../../../processors/model/unit.ts';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import { partitionOf } from '../../broker/partition-of.ts';
import type { LogRecord } from '../../broker/port.ts';

/** A record as a lane reads it; null: it went to the dead letters. */
export function decodeRecord(
  { key, value, partition, offset, timestampMs }: LogRecord,
  decodeEvent: (value: Buffer) => Outcome<StepEvent>,
  partitions: number,
): Decoded | null {
  if (value === null) return null;
  const outcome = decodeEvent(value);
  if (outcome.kind !== 'ok' || eventFault(outcome.value) !== null) return null;
  const event = outcome.value;
  const unit = key?.toString('latin1') ?? '';
  if (event.kind !== 'control' && (unitOf(event) !== unit || partitionOf(unit, partitions) !== partition)) return null;
  return { unit, event, cause: { offset, appendedAtMs: timestampMs } };
}
