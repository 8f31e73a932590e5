import type { NewRecord, Position } from '../port.ts';
import type { KafkaOptions } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { persist } from './persist.ts';
import { batchLength, type PlacedRecord, placeRecords } from './place-records.ts';
import { produceBatches } from './produce-batches.ts';
import { initProducerIdRequest, type ProducerIdentity } from './requests/init-producer-id.ts';
import { sendRequest } from './send-request.ts';
import { isPassing, toBrokerError, typeOf } from './to-broker-error.ts';
import type { Topics } from './topics.ts';

/** How long an append is tried before its caller hears of it. */
const DELIVERY_TIMEOUT_MS = 30_000;
const RETRY_MS = 20;
/** The leader no longer knows what this producer wrote before: it begins anew. */
const LOST_PRODUCER =
  /^(?:OUT_OF_ORDER_SEQUENCE_NUMBER|UNKNOWN_PRODUCER_ID|INVALID_PRODUCER_EPOCH|INVALID_PRODUCER_ID_MAPPING)$/;

export interface Appender {
  append(topic: string, records: readonly NewRecord[]): Promise<Position[]>;
  close(): Promise<void>;
}

interface Call {
  readonly positions: Position[];
  readonly deadline: number;
  left: number;
  readonly resolve: (positions: Position[]) => void;
  readonly reject: (error: unknown) => void;
  failed: boolean;
}

interface Waiting extends PlacedRecord {
  readonly call: Call;
  readonly index: number;
}

interface Lane {
  readonly topic: string;
  readonly partition: number;
  waiting: Waiting[];
  /** The batch that was sent and not yet answered for; sent again as it was, or the leader could not recognise it. */
  sent: Waiting[] | null;
  /** So many of those waiting were refused together: they go call by call, so that one bad record fails its own call alone. */
  suspects: number;
  sequence: number;
}

/**
 * One loop sends what has come together meanwhile: a batch for each partition, one request a leader at a time. The producer is
 * idempotent: a batch whose answer was lost is sent again and written once.
 */
export function createAppender(deps: {
  readonly options: KafkaOptions;
  readonly topics: Topics;
  readonly maxRecordBytes: number;
}): Appender {
  const { topics } = deps;
  const nodes = createNodes(deps.options);
  const lanes = new Map<string, Lane>();
  let producer: ProducerIdentity | null = null;
  let placing: Promise<unknown> = Promise.resolve();
  let sending: Promise<void> | null = null;

  function laneOf(topic: string, partition: number): Lane {
    const key = `${topic}/${partition}`;
    let lane = lanes.get(key);
    if (lane === undefined) {
      lane = { topic, partition, waiting: [], sent: null, suspects: 0, sequence: 0 };
      lanes.set(key, lane);
    }
    return lane;
  }

  function fail(call: Call, error: unknown): void {
    call.failed = true;
    call.reject(toBrokerError(error, 'appending'));
  }

  function acknowledge(lane: Lane, batch: readonly Waiting[], offset: number): void {
    lane.sent = null;
    lane.sequence += batch.length;
    for (const [n, { call, index }] of batch.entries()) {
      call.positions[index] = { partition: lane.partition, offset: offset + n };
      call.left--;
      if (call.left === 0) call.resolve(call.positions);
    }
  }

  function refuse(lane: Lane, error: unknown): void {
    const batch = lane.sent ?? [];
    lane.sent = null;
    if (!isPassing(error) && batch.some(({ call }) => call !== batch[0]?.call)) {
      lane.waiting.unshift(...batch);
      lane.suspects = batch.length;
      return;
    }
    for (const { call } of batch) fail(call, error);
    // Of a call that failed, nothing more is sent.
    for (const other of lanes.values()) other.waiting = other.waiting.filter(({ call }) => !call.failed);
  }

  /** Sequences begin anew under a new id; what was sent under the old one is sent again. */
  function beginAnew(): void {
    producer = null;
    for (const lane of lanes.values()) lane.sequence = 0;
  }

  async function round(busy: readonly Lane[]): Promise<void> {
    const deadline = Math.max(...busy.flatMap(({ sent }) => (sent ?? []).map(({ call }) => call.deadline)));
    producer ??= await persist(deadline, async () =>
      sendRequest(await nodes.any(), initProducerIdRequest(null, 0, null)),
    );
    const answers = await produceBatches(
      { nodes, topics },
      { ...producer, transactionalId: null },
      busy.map(({ topic, partition, sent, sequence }) => ({
        topic,
        partition,
        sequence,
        records: (sent ?? []).map(({ record }) => record),
      })),
    );
    let waits = false;
    let lost = false;
    for (const [n, answer] of answers.entries()) {
      const lane = busy[n];
      if (lane === undefined || lane.sent === null) continue;
      if ('offset' in answer) acknowledge(lane, lane.sent, answer.offset);
      else if (LOST_PRODUCER.test(typeOf(answer.error))) lost = true;
      else if (isPassing(answer.error) && lane.sent.some(({ call }) => call.deadline > performance.now())) waits = true;
      else {
        // The outcome of a batch given up is unknown, so the next one's sequence is too.
        if (isPassing(answer.error)) lost = true;
        refuse(lane, answer.error);
      }
    }
    if (lost) beginAnew();
    if (waits) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      const busy = [...lanes.values()].filter(({ sent, waiting }) => sent !== null || waiting.length > 0);
      if (busy.length === 0) return;
      for (const lane of busy) lane.sent ??= takeBatch(lane);
      try {
        await round(busy);
      } catch (error) {
        for (const lane of busy) refuse(lane, error);
      }
    }
  }

  function enqueue(placed: readonly PlacedRecord[]): Promise<Position[]> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + DELIVERY_TIMEOUT_MS;
      const call: Call = { positions: [], deadline, left: placed.length, resolve, reject, failed: false };
      for (const [index, one] of placed.entries()) {
        laneOf(one.topic, one.partition).waiting.push({ ...one, call, index });
      }
      sending ??= sendAll().finally(() => {
        sending = null;
      });
    });
  }

  return {
    async append(topic, records) {
      const given = records.map((record) => ({ topic, record }));
      // One after the other: the order of the calls is that of the log.
      const placed = placing.then(async () => {
        if (given.length === 0) await topics.partitionsOf(topic);
        return placeRecords(topics, given, deps.maxRecordBytes);
      });
      const queued = placed.then((found) => {
        return { answer: found.length === 0 ? Promise.resolve([]) : enqueue(found) };
      });
      placing = queued.catch(() => undefined);
      return (await queued).answer;
    },
    async close() {
      await placing;
      await sending;
      await nodes.close();
    },
  };
}

/** Whole calls, if the first one fits: a batch is written as a whole or not at all. */
function takeBatch(lane: Lane): Waiting[] {
  const { waiting } = lane;
  const fits = batchLength(waiting, 0);
  const first = waiting[0]?.call;
  let end = fits;
  if (lane.suspects > 0) {
    const other = waiting.findIndex(({ call }) => call !== first);
    end = other < 0 ? fits : Math.min(fits, other);
  } else if (waiting[end]?.call !== first) {
    while (end < waiting.length && waiting[end]?.call === waiting[end - 1]?.call) end--;
  }
  lane.suspects = Math.max(0, lane.suspects - end);
  return waiting.splice(0, end);
}
