import type { Broker } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import { offsetAtTime, readStretch } from '../source/index-log.ts';

export interface RunsOnTopicOf {
  readonly broker: Pick<Broker, 'bounds' | 'read' | 'partitionsOf'>;
  readonly store: Pick<Store, 'query'>;
  readonly replayId: string;
  /** That it is emitted to. */
  readonly topic: string;
}

/**
 * Runs of which the topic has records of the replay: looks through all that was appended since it began. Who died behind its first
 * transaction, and whose commit Kafka has forgotten, has left no other trace.
 */
export async function readRunsOnTopic({ broker, store, replayId, topic }: RunsOnTopicOf): Promise<ReadonlySet<string>> {
  const [row] = await store.query<{ at_ms: number }>(
    `SELECT toUnixTimestamp64Milli(min(started_at)) AS at_ms FROM rollstream.replays WHERE replay_id = {replay:String}
     HAVING count() > 0`,
    { replay: replayId },
  );
  const sinceMs = row === undefined ? 0 : Number(row.at_ms) - CLOCKS_MS;
  const runs = new Set<string>();
  for (let partition = 0; partition < (await broker.partitionsOf(topic)); partition += 1) {
    const { start, end } = await broker.bounds(topic, partition);
    const whole = { topic, partition, from: start, end };
    const from = await offsetAtTime(broker, whole, sinceMs);
    for await (const records of readStretch(broker, { ...whole, from }))
      for (const { headers } of records)
        if (headers.replay === replayId && headers.run !== undefined) runs.add(headers.run);
  }
  return runs;
}

/** Clocks of brokers and of whoever began the replay differ by less. */
const CLOCKS_MS = 3_600_000;
