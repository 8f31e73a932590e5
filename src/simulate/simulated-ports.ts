import type { Broker, Lane, TransactionalProducer } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { MemoryLog } from './memory-log.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Random } from './random.ts';
import type { Caller, Scheduler } from './scheduler.ts';

/** What all processes of a simulation share. */
export interface World {
  readonly scheduler: Scheduler;
  readonly log: MemoryLog;
  readonly store: MemoryStore;
  readonly random: Random;
  /** The log is given: what a lane would append is in it already, at the offset where it was appended first. */
  readonly isScripted: boolean;
  /** Retention deletes what is still needed. */
  readonly forgets: boolean;
  readonly stepsTopic: string;
}

const BROKER_DOWN = 'RS_BROKER_UNREACHABLE';
const STORE_DOWN = 'RS_STORE_UNREACHABLE';
const MOST_RECORDS_READ = 4;

/** The broker as one process sees it: each call takes effect when the scheduler says so. */
export function createSimulatedBroker({ scheduler, log, isScripted, stepsTopic }: World, caller: Caller): Broker {
  const call = <T>(what: string, effect: () => T) => scheduler.call(caller, what, BROKER_DOWN, effect);
  const transactional = async (id: string): Promise<TransactionalProducer> => {
    const token = await call('fence', () => log.fence(id));
    return {
      run: (transaction) => call('run', () => log.run(id, token, transaction)),
      close: async () => undefined,
    };
  };
  return {
    ensureTopics: async () => undefined,
    partitionsOf: (topic) => call('partitionsOf', () => log.partitionsOf(topic)),
    bounds: (topic, partition) => call('bounds', () => log.bounds(topic, partition)),
    append: (topic, records) =>
      call('append', () =>
        isScripted && topic === stepsTopic
          ? records.map(() => ({ partition: 0, offset: 0 }))
          : log.append(topic, records),
      ),
    read: (topic, partition, offset) => call('read', () => log.read(topic, partition, offset, MOST_RECORDS_READ)),
    join: async () => {
      throw new Error('the simulation assigns lanes itself');
    },
    committed: (group, topic, partition) =>
      call('committed', () => log.commits(group, topic, partition).at(-1) ?? null),
    transactional,
    close: async () => undefined,
  };
}

/** A read that finds nothing takes all the time that it may. */
export function createSimulatedLane(
  { scheduler, log, random, stepsTopic }: World,
  caller: Caller,
  revoked: AbortSignal,
): Lane {
  return {
    topic: stepsTopic,
    partition: 0,
    revoked,
    sessionMs: 0,
    isHeld: () => !revoked.aborted,
    read: (offset, { maxWaitMs }) =>
      scheduler.call(caller, 'read', BROKER_DOWN, () => {
        const records = log.read(stepsTopic, 0, offset, random.whole(1, MOST_RECORDS_READ));
        if (records.length === 0) scheduler.clock.nowMs += maxWaitMs;
        return records;
      }),
  };
}

export function createSimulatedStore({ scheduler, store }: World, caller: Caller): Store {
  const call = <T>(what: string, effect: () => T) => scheduler.call(caller, what, STORE_DOWN, effect);
  return {
    insert(batch) {
      // The writer's buffer is its own again once it is answered; a late insert must not see what came after.
      const kept = { ...batch, rowBinary: Buffer.from(batch.rowBinary) };
      return call(`insert into ${batch.table}`, () => store.insert(kept));
    },
    async query<Row extends object>(sql: string, params = {}): Promise<Row[]> {
      // The rows are what the statement selects; the real store can say no more of their type than this either.
      return (await call('query', () => store.query(sql, params))) as Row[];
    },
    removeRun: () => Promise.reject(new Error('lanes delete nothing')),
    queryAsReader: () => Promise.reject(new Error('lanes do not ask as readers')),
    openBulkReader: () => Promise.reject(new Error('lanes replay nothing')),
    readParquet: () => Promise.reject(new Error('lanes export nothing')),
    migrate: async () => undefined,
    close: async () => undefined,
  };
}

/** Sleeps until the scheduler picks it, and by as much of the time as it likes: timers are late. */
export function createSimulatedSleep({ scheduler }: World, caller: Caller): Sleep {
  return (ms) =>
    scheduler.call(caller, 'sleep', null, () => {
      scheduler.clock.nowMs += ms;
    });
}
