import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, LogRecord, TransactionalProducer } from '../../src/broker/port.ts';
import { laneGroup, topicNames, topicSpecs } from '../../src/config/topics.ts';
import { sleep } from '../../src/lanes/sleep.ts';
import type { Codecs } from '../../src/registry/codecs.ts';
import { createEmitReplay, type EmitArgs, type EmitReplayDeps } from '../../src/rescore/emit/emit-replay.ts';
import { type TemporaryStore, temporaryStore } from '../src/clickhouse/temporary-store.ts';
import { laneSettings } from '../src/rescore/emit/lane-settings.ts';
import { type ReplayedGroup, writeOwnership, writeReplay } from '../src/rescore/emit/replayed-groups.ts';

/** What every broker must do with what a replay emits; `open` gives two processes of one pipeline, and topics of its own each time. */
export function replayEmitContract(
  open: () => Promise<{ brokers: readonly [Broker, Broker]; codecs: Codecs; prefix: string; close(): Promise<void> }>,
): void {
  let temporary: TemporaryStore;
  let pipeline: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    temporary = await temporaryStore();
    await writeOwnership(temporary.store);
  });
  afterAll(() => temporary.remove());
  beforeEach(async () => {
    pipeline = await open();
    await pipeline.brokers[0].ensureTopics(topicSpecs(pipeline.prefix, 1));
  });
  afterEach(() => pipeline.close());

  const topics = () => topicNames(pipeline.prefix);
  /** Run ids differ by pipeline: one store serves all tests. */
  const runOf = (name: string) => `${pipeline.prefix}${name}`;

  function depsOf(process: 0 | 1): EmitReplayDeps {
    const { prefix, codecs, brokers } = pipeline;
    return {
      ...{ broker: brokers[process], store: temporary.store, blobs: null, codecs, topics: topics() },
      ...{ group: laneGroup(prefix), settings: laneSettings(prefix), log: pino({ level: 'silent' }), sleep },
      now: Date.now,
      // A transaction a unit.
      batchBytes: 1,
    };
  }

  const argsOf = (replayId: string, over: Partial<EmitArgs> = {}): EmitArgs => ({
    ...{ replayId, against: '', emit: { topic: null, again: false, stale: 'emit' } },
    ...{ signal: new AbortController().signal, isFirst: false, onProgress: () => undefined },
    ...over,
  });

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

  const emittedOf = (replayId: string) =>
    temporary.store.query<{ run: string; of_unit: string; rollout: string; place: string; to: string }>(
      `SELECT run_id AS run, unit AS of_unit, rollout_id AS rollout, toUInt32(position) AS place, topic AS to
       FROM rollstream.replay_emitted FINAL WHERE replay_id = {replay:String} ORDER BY position, rollout_id`,
      { replay: replayId },
    );

  const TWO_GROUPS: readonly ReplayedGroup[] = [
    { name: 'a', before: [0, 1], after: [1, 0] },
    { name: 'b', before: [0, 1], after: [1, 1] },
    { name: 'alone', isGroup: false, before: [0], after: [1] },
  ];

  describe('a replay', () => {
    test('emits what it kept as a lane writes it, byte for byte, in whole units, and says of which replay it is', async () => {
      const [x, y] = [runOf('x'), runOf('y')];
      const replayId = `${pipeline.prefix}whole`;
      const sent = [
        ...(await writeReplay(temporary.store, pipeline.codecs, { run: x, replayId, groups: TWO_GROUPS })),
        ...(await writeReplay(temporary.store, pipeline.codecs, { run: y, replayId, groups: TWO_GROUPS })),
      ];
      const counts = await createEmitReplay(depsOf(0))(argsOf(replayId));
      expect(counts).toEqual({ topic: topics().ready, units: 6, trajectories: 10, left_out: {} });
      const ready = await recordsOf(topics().ready);
      expect(ready.map(({ key, value, headers }) => ({ key: key?.toString(), value, headers }))).toEqual(
        sent.map(({ record: { key, value, headers } }) => ({ key, value, headers })),
      );
      expect(ready.map(({ headers }) => headers.replay)).toEqual(Array(10).fill(replayId));
      const rows = await emittedOf(replayId);
      expect(rows.map(({ rollout, place, to }) => [rollout, Number(place), to])).toEqual(
        [x, y].flatMap((_, n) => [
          ...['a-0', 'a-1'].map((rollout) => [rollout, 3 * n, topics().ready]),
          ...['b-0', 'b-1'].map((rollout) => [rollout, 3 * n + 1, topics().ready]),
          ['alone-0', 3 * n + 2, topics().ready],
        ]),
      );
    });

    test('is emitted once and counted once wherever its emitter stops, another takes over, and the first wakes up again', async () => {
      for (let step = 0, isOver = false; !isOver; step += 1) {
        const replayId = `${pipeline.prefix}stopped-${step}`;
        const run = runOf(`s${step}`);
        const groups = TWO_GROUPS.slice(0, 2);
        const sent = await writeReplay(temporary.store, pipeline.codecs, { run, replayId, groups });
        const { end: from } = await pipeline.brokers[0].bounds(topics().ready, 0);
        const { deps, stopped, wakeUp } = stoppingAt(step, depsOf(0));
        const first = createEmitReplay(deps)(argsOf(replayId)).then(
          () => 'over',
          (error: { code?: string }) => error.code ?? String(error),
        );
        isOver = (await Promise.race([stopped, first])) === 'over';
        const counts = await createEmitReplay(depsOf(1))(argsOf(replayId));
        // As after a kill -9, and again when it was no more than slow.
        const check = async (): Promise<void> => {
          const ready = (await recordsOf(topics().ready)).filter(({ offset }) => offset >= from);
          const values = ready.map(({ value }) => value?.toString('hex'));
          expect(values, `step ${step}`).toEqual(sent.map(({ record }) => record.value?.toString('hex')));
          const rows = (await emittedOf(replayId)).map(({ rollout, place }) => `${rollout} ${place}`);
          expect(rows, `step ${step}`).toEqual(['a-0 0', 'a-1 0', 'b-0 1', 'b-1 1']);
        };
        await check();
        wakeUp();
        expect(['over', 'RS_FENCED'], `step ${step}`).toContain(await first);
        await check();
        expect(counts).toEqual({ topic: topics().ready, units: 2, trajectories: 4, left_out: {} });
      }
    });

    test('of a run that another replay of it is emitted in at the time is fenced, and nothing is twice', async () => {
      const run = runOf('both');
      const [one, two] = [`${pipeline.prefix}one`, `${pipeline.prefix}two`];
      for (const replayId of [one, two])
        await writeReplay(temporary.store, pipeline.codecs, { run, replayId, groups: TWO_GROUPS });
      // Both have the same scores.
      const all = { emit: { topic: null, again: false, stale: 'emit', unchanged: 'emit' } } as const;
      // Step 2: it has taken the id, and has read how far it is.
      const { deps, stopped, wakeUp } = stoppingAt(2, depsOf(0));
      const first = createEmitReplay(deps)(argsOf(one, all));
      await stopped;
      await createEmitReplay(depsOf(1))(argsOf(two, all));
      const refused = expect(first).rejects.toMatchObject({ code: 'RS_FENCED' });
      wakeUp();
      await refused;
      await createEmitReplay(depsOf(0))(argsOf(one, all));
      const ready = await recordsOf(topics().ready);
      expect(ready.map(({ headers }) => headers.replay)).toEqual([...Array(5).fill(two), ...Array(5).fill(one)]);
    });

    test('to another topic goes by its units; a topic that nobody has created is refused', async () => {
      const replayId = `${pipeline.prefix}elsewhere`;
      const other = `${pipeline.prefix}other`;
      await writeReplay(temporary.store, pipeline.codecs, { run: runOf('e'), replayId, groups: TWO_GROUPS });
      const emit = { topic: other, again: false, stale: 'emit' } as const;
      const emitReplay = createEmitReplay(depsOf(0));
      await expect(emitReplay(argsOf(replayId, { emit }))).rejects.toMatchObject({ code: 'RS_UNKNOWN_TOPIC' });
      await pipeline.brokers[0].ensureTopics([{ name: other, partitions: 1, compacted: false }]);
      const counts = await emitReplay(argsOf(replayId, { emit }));
      expect(counts).toMatchObject({ topic: other, units: 3, trajectories: 5 });
      expect((await recordsOf(other)).map(({ headers }) => headers.replay)).toEqual(Array(5).fill(replayId));
      expect(await recordsOf(topics().ready)).toEqual([]);
    });
  });
}

/**
 * Emitter whose n-th step towards the log or the books goes no further until it is woken: before a step is one moment, after it
 * another, since the process may not have heard of what it did.
 */
function stoppingAt(step: number, deps: EmitReplayDeps) {
  let count = 0;
  let stop = (_: string): void => undefined;
  let wakeUp = (): void => undefined;
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  const woken = new Promise<void>((resolve) => {
    wakeUp = resolve;
  });
  const moment = async (): Promise<void> => {
    if (count++ !== step) return;
    stop('stopped');
    await woken;
  };
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await moment();
    const result = await work();
    await moment();
    return result;
  };
  const { broker, store } = deps;
  const transactional: Broker['transactional'] = async (id) => {
    const producer = await around(() => broker.transactional(id));
    const run: TransactionalProducer['run'] = (transaction) => around(() => producer.run(transaction));
    return { run, close: () => producer.close() };
  };
  return {
    deps: {
      ...deps,
      broker: {
        ...{ bounds: broker.bounds, read: broker.read, partitionsOf: broker.partitionsOf },
        ...{
          transactional,
          committed: (...of: Parameters<Broker['committed']>) => around(() => broker.committed(...of)),
        },
      },
      store: {
        query: <Row extends object>(...of: Parameters<typeof store.query>) => store.query<Row>(...of),
        insert: (...of: Parameters<typeof store.insert>) => around(() => store.insert(...of)),
      },
    },
    stopped,
    wakeUp: () => wakeUp(),
  };
}
