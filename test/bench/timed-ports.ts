import type { Broker } from '../../src/broker/port.ts';
import type { Store } from '../../src/clickhouse/port.ts';

/** Wall time that was waited for each kind of call. */
export type Stopwatch = Map<string, { calls: number; wallS: number }>;

export function createStopwatch(): Stopwatch {
  return new Map();
}

async function timed<T>(watch: Stopwatch, what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const entry = watch.get(what) ?? { calls: 0, wallS: 0 };
    watch.set(what, entry);
    entry.calls += 1;
    entry.wallS += (performance.now() - began) / 1000;
  }
}

/** The same log; appends and transactions are timed. */
export function timedBroker(broker: Broker, watch: Stopwatch): Broker {
  return {
    ...broker,
    append: (topic, records) => timed(watch, 'append', () => broker.append(topic, records)),
    async transactional(id) {
      const producer = await broker.transactional(id);
      return { ...producer, run: (transaction) => timed(watch, 'transaction', () => producer.run(transaction)) };
    },
  };
}

/** The same store; inserts by table and queries are timed. */
export function timedStore(store: Store, watch: Stopwatch): Store {
  return {
    ...store,
    insert: (batch) => timed(watch, `insert ${batch.table}`, () => store.insert(batch)),
    query: (sql, params) => timed(watch, 'lookup', () => store.query(sql, params)),
  };
}
