import { map, type OperatorFunction } from 'rxjs';
import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { PastDecision } from '../model/attempt.ts';
import type { LaneState } from '../model/lane-state.ts';
import { deadLetter, type Fault, type Outcome } from '../model/outcome.ts';
import type { Decoded, InRecord } from '../model/record.ts';
import { unitOf } from '../model/unit.ts';
import { eventFault } from './event-faults.ts';

/** A batch of one partition, with what `decisions` holds of its units. */
export interface DecodeIn {
  readonly records: readonly InRecord[];
  readonly found: ReadonlyMap<string, readonly PastDecision[]>;
}

export interface DecodeDeps {
  readonly state: LaneState;
  /** Wire format to event, by cached resolvers; never throws. */
  readonly decodeEvent: (value: Buffer) => Outcome<StepEvent>;
  /** Where a producer with the right partitioner puts a key. */
  readonly partitionOfKey: (key: string) => number;
}

/** Bytes → events, once. Records below the restored frontier that belong to no unit being rebuilt are skipped undecoded. */
export function createDecode({
  state,
  decodeEvent,
  partitionOfKey,
}: DecodeDeps): OperatorFunction<DecodeIn, Decoded[]> {
  let lastKey = '';
  let lastPartition = -1;

  const decodeRecord = (record: InRecord, key: string): Outcome<StepEvent> => {
    if (record.value === null) return deadLetter('decode', 'no_value', 'value', 'an event', 'null');
    const outcome = decodeEvent(record.value);
    if (outcome.kind !== 'ok') return outcome;
    const event = outcome.value;
    const fault = eventFault(event);
    if (fault !== null) return fault;
    if (event.kind === 'control') return outcome;
    if (key !== lastKey) {
      lastKey = key;
      lastPartition = partitionOfKey(key);
    }
    if (unitOf(event) !== key)
      return deadLetter('decode', 'wrong_key', 'key', unitOf(event), key === '' ? 'no key' : key);
    if (lastPartition !== record.partition)
      return deadLetter(
        'decode',
        'wrong_partition',
        'partition',
        `${lastPartition}, the murmur2 partition of ${key} (with librdkafka set partitioner=murmur2_random)`,
        String(record.partition),
      );
    return outcome;
  };

  return map(function decode({ records, found }) {
    state.found = found;
    const decoded: Decoded[] = [];
    const opened = new Set<string>();
    for (const record of records) {
      const unit = record.key?.toString('latin1') ?? '';
      // By offset, not by key: 1 attempt 0 of R @5..7, retried; 2 attempt 1 opens @20; 3 restart, frontier 25, watermark 2:
      // judged by key, the skipped @5 would finish R. What a batch opens itself is told by its starts.
      if (record.offset < state.restored && !mayBelong(state, unit, record.offset, opened)) continue;
      const outcome = decodeRecord(record, unit);
      if (outcome.kind === 'ok') {
        if (record.offset < state.restored) opened.add(unit);
        decoded.push({
          unit,
          event: outcome.value,
          cause: { offset: record.offset, appendedAtMs: record.timestampMs },
        });
      } else if (outcome.kind === 'dead_letter' && record.offset >= state.restored) bury(state, record, outcome.fault);
    }
    return decoded;
  });
}

/** Coarse: the fold judges each record again, against the units that are open when it is its turn. No key: about all units. */
function mayBelong(state: LaneState, unit: string, offset: number, opened: ReadonlySet<string>): boolean {
  return unit === '' || state.starts.has(offset) || state.units.has(unit) || opened.has(unit);
}

function bury(state: LaneState, record: InRecord, fault: Fault): void {
  const letter = {
    topic: state.topic,
    partition: record.partition,
    offset: record.offset,
    appendedAtMs: record.timestampMs,
    key: record.key,
    value: record.value ?? Buffer.alloc(0),
    headers: record.headers,
    fault,
  };
  state.effects.rows.dead_letters.push(letter);
  state.effects.records.push({ topic: 'dead_letter', offset: record.offset, letter });
}
