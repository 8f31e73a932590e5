import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GateState } from '../../processors/model/gate.ts';
import { type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { Broker, LogRecord, TransactionalProducer } from '../../src/broker/port.ts';
import { encodeGates } from '../../src/clickhouse/tables/gates.ts';
import { encodeReleased } from '../../src/clickhouse/tables/released.ts';
import { laneGroup, topicNames, topicSpecs } from '../../src/config/topics.ts';
import { RollstreamError } from '../../src/errors.ts';
import { createForwardHeld, type ForwardHeld, type ForwardHeldDeps } from '../../src/gate/forward-held.ts';
import { sleep } from '../../src/lanes/sleep.ts';
import type { Codecs } from '../../src/registry/codecs.ts';
import { type TemporaryStore, temporaryStore } from '../src/clickhouse/temporary-store.ts';
import { sampleTrajectory } from '../src/ready/sample-trajectory.ts';

/** What every broker must do with held trajectories; `open` gives two processes of one pipeline, and topics of its own each time. */
export function forwardHeldContract(
  open: () => Promise<{ brokers: readonly [Broker, Broker]; codecs: Codecs; prefix: string; close(): Promise<void> }>,
): void {
  let temporary: TemporaryStore;
  let pipeline: Awaited<ReturnType<typeof open>>;
  let stop: AbortController;
  let working: Promise<void>[];
  let seq = 0;

  beforeAll(async () => {
    temporary = await temporaryStore();
  });
  afterAll(() => temporary.remove());
  beforeEach(async () => {
    pipeline = await open();
    await pipeline.brokers[0].ensureTopics(topicSpecs(pipeline.prefix, 1));
    stop = new AbortController();
    working = [];
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(working);
    await pipeline.close();
  });

  /** Run ids differ by pipeline: one store serves all tests. */
  const runOf = (name: string) => `${pipeline.prefix}${name}`;
  const topics = () => topicNames(pipeline.prefix);

  /** As a lane holds them: in one transaction. */
  async function hold(...members: ReadonlyArray<{ run: string; rollout: string; group?: string }>): Promise<void> {
    const encode = await pipeline.codecs.encoderOf<TrajectoryInit>(`${topics().held}-value`, trajectorySchema);
    const producer = await pipeline.brokers[0].transactional(`${pipeline.prefix}lane`);
    const records = members.map(({ run, rollout, group = null }) => {
      const run_id = runOf(run);
      const value = encode(sampleTrajectory({ run_id, rollout_id: rollout, group_id: group }));
      const key = `${run_id}/0/${group === null ? `r/${rollout}` : `g/${group}`}`;
      const headers = { run: run_id, disposition: 'train', ...(group === null ? {} : { group }) };
      return { topic: topics().held, record: { key, value, headers, partition: 0 } };
    });
    await producer.run({ records });
    await producer.close();
  }

  async function set(run: string, state: GateState): Promise<void> {
    seq += 1;
    const at = { windowFromMs: 0, atMs: 0 };
    const row = { run_id: runOf(run), seq, state, by: 'set', classes: [], why_json: '{}', ...at } as const;
    await temporary.store.insert(encodeGates([row]));
  }

  function start(process: 0 | 1, over: Partial<ForwardHeldDeps> = {}): ForwardHeld & { stop(): Promise<void> } {
    const { held, ready, state } = topics();
    const broker = pipeline.brokers[process];
    const names = { heldTopic: held, readyTopic: ready, stateTopic: state, group: laneGroup(pipeline.prefix) };
    const { store } = temporary;
    const { codecs } = pipeline;
    const log = pino({ level: 'silent' });
    const forwarder = createForwardHeld({ broker, store, codecs, log, sleep, now: Date.now, ...names, ...over });
    const own = new AbortController();
    const work = forwarder.forward(AbortSignal.any([stop.signal, own.signal]));
    working.push(work);
    return {
      ...forwarder,
      async stop() {
        own.abort();
        await work;
      },
    };
  }

  async function recordsOf(topic: string): Promise<LogRecord[]> {
    const [broker] = pipeline.brokers;
    const { end } = await broker.bounds(topic, 0);
    const all: LogRecord[] = [];
    for (let offset = 0; offset < end; ) {
      const records = await broker.read(topic, 0, offset, { maxBytes: 1 << 22, maxWaitMs: 1000 });
      all.push(...records);
      offset = (records.at(-1)?.offset ?? end) + 1;
    }
    return all;
  }
  const contentOf = ({ key, value, headers }: LogRecord) => ({ key, value, headers });
  const rolloutOf = ({ key }: LogRecord) => key?.toString().split('/').at(-1);
  const ready = async () => (await recordsOf(topics().ready)).map(rolloutOf);
  const released = () =>
    temporary.store.query<{ rollout_id: string; held_offset: string }>(
      'SELECT rollout_id, held_offset FROM rollstream.released FINAL WHERE startsWith(run_id, {prefix:String}) ORDER BY held_offset',
      { prefix: pipeline.prefix },
    );

  describe('what is held', () => {
    test('becomes ready when its gate opens: the same bytes, in order, once, over a restart', async () => {
      await hold({ run: 'a', rollout: '1' }, { run: 'a', rollout: '2' });
      const first = start(0);
      await first.drained();
      expect(await ready()).toEqual([]);
      await set('a', 'hold');
      await first.drained();
      expect(await ready()).toEqual([]);
      await set('a', 'open');
      await first.drained();
      expect(await ready()).toEqual(['1', '2']);
      await first.stop();
      // A lane that has not come to the event yet.
      await hold({ run: 'a', rollout: '3' });
      await start(1).drained();
      expect((await recordsOf(topics().ready)).map(contentOf)).toEqual((await recordsOf(topics().held)).map(contentOf));
      expect((await released()).map(({ rollout_id }) => rollout_id)).toEqual(['1', '2', '3']);
    });

    test('of a closed run stops no other, and is not lost by what is moved past it', async () => {
      for (const rollout of ['1', '2', '3'])
        await hold({ run: 'closed', rollout: `c${rollout}` }, { run: 'open', rollout: `o${rollout}` });
      await set('closed', 'hold');
      await set('open', 'warn');
      const first = start(0);
      await first.drained();
      expect(await ready()).toEqual(['o1', 'o2', 'o3']);
      await first.stop();
      await hold({ run: 'open', rollout: 'o4' }, { run: 'closed', rollout: 'c4' });
      const second = start(1);
      await second.drained();
      expect(await ready()).toEqual(['o1', 'o2', 'o3', 'o4']);
      await set('closed', 'quarantine');
      await second.drained();
      expect(await ready()).toEqual(['o1', 'o2', 'o3', 'o4', 'c1', 'c2', 'c3', 'c4']);
    });

    test('and was said to be released before its gate closed again is moved all the same, and no more', async () => {
      await hold({ run: 'a', rollout: '1' }, { run: 'a', rollout: '2' });
      await set('a', 'hold');
      const run_id = runOf('a');
      const row = { run_id, epoch: 0, unit: `${run_id}/0/r/1`, rollout_id: '1', attempt: 0, held_offset: 0, atMs: 0 };
      await temporary.store.insert(encodeReleased([row]));
      await start(0).drained();
      expect(await ready()).toEqual(['1']);
      await set('a', 'open');
      await start(1).drained();
      expect(await ready()).toEqual(['1', '2']);
    });

    test('is moved once by two processes that both believe that it is theirs', async () => {
      await set('a', 'open');
      const both = [start(0), start(1)];
      const rollouts = Array.from({ length: 20 }, (_, i) => String(i));
      for (const rollout of rollouts) await hold({ run: 'a', rollout });
      while ((await ready()).length < rollouts.length) await Promise.race(both.map((one) => one.drained()));
      expect(await ready()).toEqual(rollouts);
    });

    test('stays held while its rows cannot be written, and is then moved', async () => {
      await hold({ run: 'a', rollout: '1' });
      await set('a', 'open');
      let isDown = true;
      let refused = (): void => undefined;
      const wasRefused = new Promise<void>((resolve) => {
        refused = resolve;
      });
      const { store } = temporary;
      const insert: typeof store.insert = async (batch) => {
        if (!isDown) return store.insert(batch);
        refused();
        throw new RollstreamError('RS_STORE_UNREACHABLE', 'the store is down');
      };
      const forwarder = start(0, { store: { query: (sql, params) => store.query(sql, params), insert } });
      await wasRefused;
      expect(await ready()).toEqual([]);
      isDown = false;
      await forwarder.drained();
      expect(await ready()).toEqual(['1']);
    });

    test('is moved once whether the transaction that failed was done or not', async () => {
      const [broker] = pipeline.brokers;
      const moments = ['before', 'after'];
      const transactional: Broker['transactional'] = async (id) => {
        const producer = await broker.transactional(id);
        const run: TransactionalProducer['run'] = async (transaction) => {
          const moment = moments.shift();
          if (moment !== 'before') await producer.run(transaction);
          if (moment !== undefined) throw new RollstreamError('RS_BROKER_UNREACHABLE', `cut off ${moment}`);
        };
        return { run, close: () => producer.close() };
      };
      await hold({ run: 'a', rollout: '1' }, { run: 'a', rollout: '2' });
      await set('a', 'open');
      const { bounds, read, committed } = broker;
      await start(0, { broker: { bounds, read, committed, transactional } }).drained();
      expect(moments).toEqual([]);
      expect(await ready()).toEqual(['1', '2']);
    });

    test('of so many closed runs that they do not fit into a commit is found again by the next process', async () => {
      const runs = Array.from({ length: 300 }, (_, i) => `a run with a long name, number ${i}`);
      await hold(...runs.map((run) => ({ run, rollout: run })), { run: 'open', rollout: '1' });
      await set('open', 'open');
      const first = start(0);
      await first.drained();
      await first.stop();
      expect((await recordsOf(topics().state)).length).toBe(1);
      await set(runs[7] ?? '', 'open');
      await start(1).drained();
      expect(await ready()).toEqual(['1', runs[7]]);
    });

    test('is moved past what stands in the topic and is no trajectory', async () => {
      const run = runOf('a');
      await hold({ run: 'a', rollout: '1' });
      await pipeline.brokers[0].append(topics().held, [
        { key: null, value: Buffer.from('foreign'), partition: 0 },
        { key: 'k', value: Buffer.from('foreign'), headers: { run }, partition: 0 },
        { key: 'k', value: null, headers: { run }, partition: 0 },
      ]);
      await hold({ run: 'a', rollout: '2' });
      await set('a', 'open');
      await start(0).drained();
      expect(await ready()).toEqual(['1', '2']);
    });
  });
}
