import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnitHistory } from '../../../../processors/model/replay.ts';
import { type StepEvent, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import type { Broker } from '../../../../src/broker/port.ts';
import type { ReplayPlan, ReplaySource } from '../../../../src/rescore/replay-source.ts';
import { createLogSource } from '../../../../src/rescore/source/log-source.ts';
import type { StoreScope } from '../../../../src/rescore/source/store-scope.ts';
import { createStoreSource } from '../../../../src/rescore/source/store-source.ts';
import { type ImportedExamples, importedExamples } from './imported-examples.ts';

const ALL: StoreScope = {
  ...{ runs: [], from: null, to: null, where: null, against: '', late: 'use' },
  ...{ withVerdicts: false, replayId: 'replay-1', audits: false },
};

let examples: ImportedExamples;
beforeAll(async () => {
  examples = await importedExamples(['calculator-strands', 'files-events', 'kv-nemo'], 2);
});
afterAll(() => examples.remove());

function open(scope: Partial<StoreScope> = {}, others: { broker?: Broker; chunkEvents?: number } = {}): ReplaySource {
  const { store, broker, codecs, topics } = examples.app;
  return createLogSource({
    ...{ broker, store, topic: topics.steps, partitions: examples.partitions, request: { ...ALL, ...scope } },
    ...{ override: {}, decodeEvent: codecs.decoderOf<StepEvent>(stepEventSchema), prepare: codecs.prepare },
    log: () => {},
    ...others,
  });
}

async function readAll(source: ReplaySource): Promise<{ plan: ReplayPlan; units: UnitHistory[] }> {
  const plan = await source.plan();
  const units: UnitHistory[] = [];
  for (const chunk of plan.chunks) for await (const unit of source.read(plan, chunk)) units.push(unit);
  await source.close();
  return { plan, units };
}

function byUnit(units: readonly UnitHistory[]): UnitHistory[] {
  return units.toSorted((a, b) => (a.unit < b.unit ? -1 : 1));
}

/** As if retention had deleted what is below `start` of partition 0. */
function without(broker: Broker, start: number): Broker {
  return {
    ...broker,
    bounds: async (topic, partition) => {
      const bounds = await broker.bounds(topic, partition);
      return partition === 0 ? { ...bounds, start } : bounds;
    },
    read: (topic, partition, offset, limits) => {
      if (partition === 0 && offset < start) throw new Error(`${offset} was deleted`);
      return broker.read(topic, partition, offset, limits);
    },
  };
}

/** Units of partition 0 by their first records, the earliest first. */
function opened(): Array<{ unit: string; first: number; last: number; rollouts: string[] }> {
  const keys = new Set(examples.records[0]?.map(({ key }) => key?.toString('latin1') ?? ''));
  return [...examples.seen]
    .filter(([unit]) => keys.has(unit))
    .map(([unit, records]) => ({
      unit,
      first: records[0]?.cause.offset ?? 0,
      last: records.at(-1)?.cause.offset ?? 0,
      rollouts: [...new Set(records.map(({ event }) => event.rollout_id).filter((id) => id !== ''))],
    }))
    .toSorted((a, b) => a.first - b.first);
}

describe('the log', () => {
  it('gives the units that the store gives, each once and the same', async () => {
    const { store, topics } = examples.app;
    const shared = { topic: topics.steps, partitions: examples.partitions, request: ALL, override: {} };
    const stored = await readAll(createStoreSource({ store, ...shared, withTokens: true, log: () => {} }));
    const logged = await readAll(open());
    expect(logged.plan.ends).toEqual(stored.plan.ends);
    expect(logged.plan.refused).toEqual([]);
    expect(byUnit(logged.units)).toEqual(byUnit(stored.units));
    const cut = await readAll(open({}, { chunkEvents: 1 }));
    expect(cut.plan.chunks.length).toBeGreaterThan(logged.plan.chunks.length);
    expect(byUnit(cut.units)).toEqual(byUnit(stored.units));
  });

  it('gives a piece of a plan that another process made', async () => {
    const first = open({}, { chunkEvents: 60 });
    const plan = await first.plan();
    await first.close();
    const second = open({}, { chunkEvents: 60 });
    const chunk = plan.chunks[1];
    if (chunk === undefined) throw new Error('too few pieces');
    const units: UnitHistory[] = [];
    for await (const unit of second.read(plan, chunk)) units.push(unit);
    await second.close();
    expect(units.length).toBe(chunk.units);
  });

  it('refuses by name the rollouts whose records were deleted, and replays the others', async () => {
    const units = opened();
    const start = (units[1]?.first ?? 0) + 1;
    const gone = units.filter(({ first }) => first < start);
    const { plan, units: found } = await readAll(open({}, { broker: without(examples.app.broker, start) }));
    expect(plan.refused).toMatchObject([{ reason: 'records_deleted' }]);
    expect(plan.refused[0]?.rollouts.toSorted()).toEqual(gone.flatMap(({ rollouts }) => rollouts).toSorted());
    expect(plan.refused[0]?.n).toBe(plan.refused[0]?.rollouts.length);
    expect(found.length).toBe(examples.seen.size - gone.length);
  });

  it('leaves out by name what began before the stretch and goes on in it', async () => {
    const units = opened();
    const crossed = units.find(({ first, last }) => last > first);
    if (crossed === undefined) throw new Error('too few records');
    const from = { kind: 'offset', partition: 0, offset: crossed.first + 1 } as const;
    const { plan, units: found } = await readAll(open({ from }));
    const before = units.filter(({ first, last }) => first <= crossed.first && last > crossed.first);
    expect(plan.refused).toMatchObject([
      { reason: 'began_before', n: before.flatMap(({ rollouts }) => rollouts).length },
    ]);
    expect(plan.refused[0]?.rollouts).toEqual(expect.arrayContaining(crossed.rollouts));
    const inside = units.filter(({ first }) => first > crossed.first).map(({ unit }) => unit);
    expect(found.map(({ unit }) => unit).toSorted()).toEqual(inside.toSorted());
  });

  it('takes runs, conditions, times and nothing', async () => {
    const kv = await readAll(open({ runs: ['kv-nemo'] }));
    expect(kv.units.length).toBe([...examples.seen.keys()].filter((unit) => unit.startsWith('kv-nemo/')).length);
    const wanted = await examples.app.store.query<{ unit: string }>(
      `SELECT DISTINCT unit FROM rollstream.live_decisions WHERE disposition = 'quarantine' ORDER BY unit`,
    );
    const quarantined = await readAll(open({ where: "disposition = 'quarantine'" }));
    expect(quarantined.units.map(({ unit }) => unit).toSorted()).toEqual(wanted.map(({ unit }) => unit));
    expect((await readAll(open({ to: { kind: 'time', atMs: 0 } }))).units).toEqual([]);
    const [middle] = opened().slice(1);
    const atMs = examples.records[0]?.find(({ offset }) => offset === middle?.first)?.timestampMs ?? 0;
    const later = await readAll(open({ from: { kind: 'time', atMs } }));
    const first = (unit: string) => examples.seen.get(unit)?.[0]?.cause.appendedAtMs ?? 0;
    expect(later.units.length).toBe([...examples.seen.keys()].filter((unit) => first(unit) >= atMs).length);
    const source = open({ where: '1) OR (1' });
    await expect(source.plan()).rejects.toMatchObject({ facts: { field: 'where' } });
    await source.close();
  });
});
