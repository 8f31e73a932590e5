import type { KafkaOptions } from './kafka-options.ts';
import { createPartitionReader, type PartitionReader } from './partition-reader.ts';
import type { Topics } from './topics.ts';

/** A reader that nobody has used for so long is closed, and its connection with it. */
const IDLE_MS = 30_000;

/** Readers for whoever reads outside of a group: one a partition is enough until two read it at a time. */
export interface ReaderPool {
  use<T>(topic: string, partition: number, work: (reader: PartitionReader) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Idle {
  readonly reader: PartitionReader;
  readonly expiry: NodeJS.Timeout;
}

export function createReaderPool(deps: { readonly options: KafkaOptions; readonly topics: Topics }): ReaderPool {
  const idle = new Map<string, Idle[]>();
  const busy = new Set<PartitionReader>();
  let closed = false;

  function take(key: string): PartitionReader | undefined {
    const found = idle.get(key)?.pop();
    clearTimeout(found?.expiry);
    return found?.reader;
  }

  function keep(key: string, reader: PartitionReader): void {
    const expire = (): void => {
      idle.set(
        key,
        (idle.get(key) ?? []).filter((one) => one.reader !== reader),
      );
      void reader.close();
    };
    const expiry = setTimeout(expire, IDLE_MS).unref();
    idle.set(key, [...(idle.get(key) ?? []), { reader, expiry }]);
  }

  return {
    async use(topic, partition, work) {
      const key = `${topic}/${partition}`;
      const reader = take(key) ?? createPartitionReader(deps, topic, partition, false);
      busy.add(reader);
      try {
        const result = await work(reader);
        if (!closed) keep(key, reader);
        return result;
      } catch (error) {
        // Whatever it was: the next one begins with a new connection.
        await reader.close();
        throw error;
      } finally {
        busy.delete(reader);
        if (closed) await reader.close();
      }
    },
    async close() {
      closed = true;
      const readers = [...idle.values()].flat();
      for (const { expiry } of readers) clearTimeout(expiry);
      await Promise.all([...readers.map(({ reader }) => reader.close()), ...[...busy].map((reader) => reader.close())]);
    },
  };
}
