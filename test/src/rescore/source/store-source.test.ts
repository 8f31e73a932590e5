import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnitHistory } from '../../../../processors/model/replay.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayVerdicts } from '../../../../src/clickhouse/tables/replay-verdicts.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeVerdicts } from '../../../../src/clickhouse/tables/verdicts.ts';
import type { ReplayPlan, ReplaySource } from '../../../../src/rescore/replay-source.ts';
import type { StoreScope } from '../../../../src/rescore/source/store-scope.ts';
import { createStoreSource } from '../../../../src/rescore/source/store-source.ts';
import { sampleDecision, sampleStep } from '../../clickhouse/tables/sample-rows.ts';
import { temporaryStore } from '../../clickhouse/temporary-store.ts';
import { type ImportedExamples, importedExamples } from './imported-examples.ts';

const ALL: StoreScope = {
  ...{ runs: [], from: null, to: null, where: null, against: '', late: 'use' },
  ...{ withVerdicts: false, replayId: 'replay-1', audits: false },
};

async function readAll(source: ReplaySource): Promise<{ plan: ReplayPlan; units: UnitHistory[] }> {
  const plan = await source.plan();
  const units: UnitHistory[] = [];
  for (const chunk of plan.chunks) {
    const found: UnitHistory[] = [];
    for await (const unit of source.read(plan, chunk)) found.push(unit);
    expect(found.map(({ unit }) => unit)).toEqual(found.map(({ unit }) => unit).sort());
    expect([found[0]?.unit, found.at(-1)?.unit, found.length]).toEqual([chunk.fromUnit, chunk.toUnit, chunk.units]);
    units.push(...found);
  }
  await source.close();
  return { plan, units };
}

describe('the examples, in two partitions', () => {
  let examples: ImportedExamples;
  beforeAll(async () => {
    examples = await importedExamples(['calculator-strands', 'files-events', 'kv-nemo', 'calculator-eval'], 2);
  });
  afterAll(() => examples.remove());

  const open = (scope: Partial<StoreScope> = {}, others: { withTokens?: boolean; chunkEvents?: number } = {}) =>
    createStoreSource({
      ...{ store: examples.app.store, topic: examples.app.topics.steps, partitions: examples.partitions },
      ...{ request: { ...ALL, ...scope }, override: {}, withTokens: true, log: () => {}, ...others },
    });

  it('come out unit by unit, each once, with all that the log holds of it, in order', async () => {
    const { plan, units } = await readAll(open());
    expect(plan.refused).toEqual([]);
    expect(plan.ends).toEqual(examples.records.map((records) => (records.at(-1)?.offset ?? -1) + 1));
    expect(new Set(units.map(({ partition }) => partition))).toEqual(new Set([0, 1]));
    expect(units.map(({ unit }) => unit).toSorted()).toEqual([...examples.seen.keys()].toSorted());
    for (const unit of units) {
      const all = [...unit.records, ...unit.lateVerdicts].toSorted((a, b) => a.cause.offset - b.cause.offset);
      // What had counted and came again after the close is nothing new.
      const offsets = new Set(all.map(({ cause }) => cause.offset));
      const seen = examples.seen.get(unit.unit) ?? [];
      const repeats = seen.filter(({ cause }) => !offsets.has(cause.offset));
      for (const { event, cause } of repeats) {
        const first = all.find((record) => record.event.event_id === event.event_id);
        expect(event.kind).toBe('verdict');
        expect(first?.cause.offset).toBeLessThan(cause.offset);
      }
      expect(all).toEqual(seen.filter((record) => !repeats.includes(record)));
      expect(unit.open).toEqual([]);
    }
  });

  it('have with them what was decided, and what the audits said', async () => {
    const { units } = await readAll(open());
    const decided = await examples.app.store.query<{ rollout_id: string; score_id: string }>(
      'SELECT rollout_id, score_id FROM rollstream.live_decisions',
    );
    const of = (unit: UnitHistory) => unit.decided.map(({ rollout_id, score_id }) => ({ rollout_id, score_id }));
    const byId = (a: { score_id: string }, b: { score_id: string }) => (a.score_id < b.score_id ? -1 : 1);
    expect(units.flatMap(of).toSorted(byId)).toEqual(decided.toSorted(byId));
    const findings = await examples.app.store.query<{ audit: string; class: string; detail: string }>(
      `SELECT audit, class, detail FROM rollstream.live_audits WHERE class != '' ORDER BY ALL`,
    );
    expect(findings.length).toBeGreaterThan(5);
    const told = units
      .flatMap(({ audited }) => [...audited.values()].flatMap((one) => one.findings))
      .map((finding) => `${finding.audit}|${finding.class}|${finding.detail}`);
    expect(told.toSorted()).toEqual(findings.map((row) => `${row.audit}|${row.class}|${row.detail}`).toSorted());
    const summaries = await examples.app.store.query<{ rollout_id: string; attempt: number; tokens: string }>(
      'SELECT rollout_id, attempt, audit_tokens AS tokens FROM rollstream.live_trajectories',
    );
    for (const { rollout_id, attempt, tokens } of summaries) {
      const of = units.find(({ decided: all }) => all.some((one) => one.rollout_id === rollout_id));
      expect(of?.audited.get(`${rollout_id}\0${attempt}`)?.summary.tokens).toBe(tokens);
    }
  });

  it('are cut after each unit where a piece may have one event, and are the same', async () => {
    const ofRun = { runs: ['kv-nemo'] };
    const whole = await readAll(open(ofRun));
    const cut = await readAll(open(ofRun, { chunkEvents: 1 }));
    expect(cut.units.length).toBeGreaterThan(1);
    expect(cut.plan.chunks.length).toBe(cut.units.length);
    expect(cut.plan.chunks.map(({ chunk }) => chunk)).toEqual(cut.plan.chunks.map((_, index) => index));
    expect(cut.units).toEqual(whole.units);
  });

  it('without tokens have as many of them, all zero, and no text', async () => {
    const { units } = await readAll(open({}, { withTokens: false }));
    const calls = units.flatMap(({ records }) => records.flatMap(({ event }) => event.model_call ?? []));
    const seen = [...examples.seen.values()].flat().flatMap(({ event }) => event.model_call ?? []);
    const lengths = (all: typeof calls) => all.map(({ completion_ids }) => completion_ids?.length ?? null).sort();
    expect(lengths(calls)).toEqual(lengths(seen));
    for (const { completion_ids, raw_text } of calls) {
      expect(completion_ids?.every((byte) => byte === 0) ?? true).toBe(true);
      expect(raw_text?.length ?? 0).toBe(0);
    }
  });

  it('are those of a run, of a condition, or none', async () => {
    const ofRun = await readAll(open({ runs: ['kv-nemo'] }));
    expect(new Set(ofRun.units.map(({ unit }) => unit.split('/')[0]))).toEqual(new Set(['kv-nemo']));
    expect(ofRun.units.length).toBe([...examples.seen.keys()].filter((unit) => unit.startsWith('kv-nemo/')).length);
    const dropped = await readAll(open({ where: "disposition IN ('drop', 'quarantine') -- said by a person" }));
    const wanted = await examples.app.store.query<{ unit: string }>(
      `SELECT DISTINCT unit FROM rollstream.live_decisions WHERE disposition IN ('drop', 'quarantine') ORDER BY unit`,
    );
    expect(wanted.length).toBeGreaterThan(0);
    expect(dropped.units.map(({ unit }) => unit).toSorted()).toEqual(wanted.map(({ unit }) => unit));
    for (const scope of [{ runs: ['nobody'] }, { where: 'attempt > 99' }, { to: { kind: 'time', atMs: 0 } }] as const)
      expect((await readAll(open(scope))).plan.chunks).toEqual([]);
  });

  it('are refused where a condition is none, or more than one, naming it', async () => {
    for (const where of [
      '1) OR (1',
      "1; DROP TABLE steps'",
      '1 SETTINGS max_threads = 1',
      "file('/etc/passwd') != ''",
    ]) {
      const source = open({ where });
      await expect(source.plan()).rejects.toMatchObject({ facts: { field: 'where' } });
      await source.close();
    }
    const source = open({ where: 'nope = 1' });
    await expect(source.plan()).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
    await source.close();
  });

  it('belong to a stretch by the record that opened them', async () => {
    const firsts = [...examples.seen]
      .map(([unit, records]) => ({ unit, first: records[0]?.cause ?? { offset: 0, appendedAtMs: 0 } }))
      .filter(({ unit }) => unit.startsWith('calculator-strands/'));
    const [one] = firsts.slice(1);
    if (one === undefined) throw new Error('too few units');
    const partition = examples.records.findIndex((records) =>
      records.some((record) => record.key?.toString() === one.unit),
    );
    const at = one.first.offset;
    const from = { kind: 'offset', partition, offset: at } as const;
    const alone = await readAll(open({ from, to: { ...from, offset: at + 1 } }));
    expect(alone.units.map(({ unit }) => unit)).toEqual([one.unit]);
    const before = await readAll(open({ to: from }));
    expect(before.units.map(({ unit }) => unit)).not.toContain(one.unit);
    const after = await readAll(open({ from: { ...from, offset: at + 1 } }));
    expect(after.units.map(({ unit }) => unit)).not.toContain(one.unit);
    const others = [...examples.seen].filter(([, [first]]) =>
      examples.records[partition]?.some(
        (record) => record.offset === first?.cause.offset && record.key?.toString() === first?.unit,
      ),
    );
    expect(before.units.length + 1 + after.units.length).toBe(others.length);
    const byTime = await readAll(open({ from: { kind: 'time', atMs: one.first.appendedAtMs } }));
    const later = [...examples.seen.values()].filter(
      ([first]) => (first?.cause.appendedAtMs ?? 0) >= one.first.appendedAtMs,
    );
    expect(byTime.units.length).toBe(later.length);
  });

  it('tell by whose documents their lane began', async () => {
    const source = open();
    const plan = await source.plan();
    const { controls, initial } = await source.laneHistory(plan, 0);
    await source.close();
    const [first] = await examples.app.store.query<{ policy_id: string; taxonomy_id: string }>(
      'SELECT policy_id, taxonomy_id FROM rollstream.live_decisions WHERE partition = 0 ORDER BY offset LIMIT 1',
    );
    expect(initial).toMatchObject(first ?? {});
    const unkeyed = examples.records[0]?.filter(({ key }) => key === null) ?? [];
    expect(unkeyed.length).toBeGreaterThan(0);
    expect(controls.map(({ cause }) => cause.offset)).toEqual(unkeyed.map(({ offset }) => offset));
  });
});

it('a unit whose steps somebody deleted is refused by name, in its stretch alone', async () => {
  const { store, remove } = await temporaryStore();
  const owner = { topic: 'rollout.steps', term: 1 };
  const unit = (id: string) => `run/0/r/${id}`;
  const of = (id: string) => ({ run_id: 'run', rollout_id: id, unit: unit(id) });
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  await store.insert(encodeSteps([sampleStep(1, { ...of('kept'), seq: 0, kind: 'start', start: {} })], owner));
  const decided = (offset: number, id: string) => sampleDecision(offset, { ...of(id), first_offset: offset - 1 });
  await store.insert(encodeDecisions([decided(2, 'kept'), decided(4, 'b'), decided(6, 'a')], owner));
  await store.insert(encodeLanes([{ partition: 0, frontier: 9, watermark: 9, open: [] }], owner));
  const deps = { store, topic: owner.topic, partitions: 1, override: {}, withTokens: false, log: () => {} };
  const planOf = async (scope: Partial<StoreScope>) => {
    const source = createStoreSource({ ...deps, request: { ...ALL, ...scope } });
    const { refused, chunks } = await source.plan();
    await source.close();
    return { refused: refused.map(({ reason, n, rollouts }) => [reason, n, ...rollouts]), chunks: chunks.length };
  };
  expect(await planOf({})).toEqual({ refused: [['records_lost', 2, 'a', 'b']], chunks: 1 });
  expect(await planOf({ to: { kind: 'offset', partition: null, offset: 5 } })).toEqual({
    refused: [['records_lost', 1, 'b']],
    chunks: 1,
  });
  expect(await planOf({ where: "rollout_id = 'kept'" })).toEqual({ refused: [], chunks: 1 });
  await remove();
});

describe('rows of two owners', () => {
  it('of which the first died before its commit: what it alone wrote is not read', async () => {
    const { store, remove } = await temporaryStore();
    const step = (offset: number, seq: number, event_id: string) =>
      sampleStep(offset, {
        ...{ seq, event_id, kind: seq === 0 ? 'start' : 'phase' },
        ...(seq === 0 ? { start: {} } : { phase: { phase: 'cpu' as const } }),
      });
    const topic = 'rollout.steps';
    // Term 1 read up to 8 and committed 5; term 2 read the rest otherwise.
    await store.insert(encodeTerms([{ partition: 0, restored: 0 }], { topic, term: 1 }));
    await store.insert(
      encodeSteps([step(3, 0, 'a'), step(6, 1, 'of the dead'), step(7, 2, 'gone')], { topic, term: 1 }),
    );
    await store.insert(encodeDecisions([sampleDecision(7, { score_id: 'of the dead' })], { topic, term: 1 }));
    await store.insert(encodeTerms([{ partition: 0, restored: 5 }], { topic, term: 2 }));
    await store.insert(encodeSteps([step(6, 1, 'b')], { topic, term: 2 }));
    // Written twice, as after an outage.
    await store.insert(encodeSteps([step(6, 1, 'b')], { topic, term: 2 }));
    await store.insert(encodeLanes([{ partition: 0, frontier: 9, watermark: 9, open: [] }], { topic, term: 2 }));
    const deps = { store, topic, partitions: 1, override: {}, withTokens: true, log: () => {} };
    const { units } = await readAll(createStoreSource({ ...deps, request: ALL }));
    expect(units.map(({ records }) => records.map(({ event }) => event.event_id))).toEqual([['a', 'b']]);
    expect(units[0]?.decided).toEqual([]);
    expect(units[0]?.open).toEqual(['r0']);
    await remove();
  });

  it('give a late verdict once, and none that came in time before', async () => {
    const { store, remove } = await temporaryStore();
    const topic = 'rollout.steps';
    const owner = { topic, term: 1 };
    const verdict = (offset: number, event_id: string, reward: number) => ({
      ...sampleStep(offset, {
        ...{ kind: 'verdict', event_id },
        verdict: { scorer: 's', status: 'scored', rewards: { score: reward, other: null } },
      }),
    });
    const inTime = verdict(2, 'in time', 1);
    await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
    await store.insert(encodeSteps([sampleStep(1, { seq: 0 }), inTime], owner));
    const late = [verdict(5, 'in time', 1), verdict(6, 'late', 0), verdict(7, 'later', Number.NaN)];
    await store.insert(
      encodeVerdicts([{ ...inTime, late: false }, ...late.map((row) => ({ ...row, late: true }))], owner),
    );
    await store.insert(encodeLanes([{ partition: 0, frontier: 9, watermark: 9, open: [] }], owner));
    const deps = { store, topic, partitions: 1, override: {}, withTokens: true, log: () => {} };
    const used = await readAll(createStoreSource({ ...deps, request: ALL }));
    expect(used.units[0]?.lateVerdicts).toEqual(
      late.slice(1).map(({ event, unit, offset, appendedAtMs }) => ({ unit, event, cause: { offset, appendedAtMs } })),
    );
    const ignored = await readAll(createStoreSource({ ...deps, request: { ...ALL, late: 'ignore' } }));
    expect(ignored.units[0]?.lateVerdicts).toEqual([]);
    expect(ignored.units[0]?.records.length).toBe(2);
    await remove();
  });

  it('are compared with an earlier replay where it has the unit, and come with the verdicts that were kept', async () => {
    const { store, remove } = await temporaryStore();
    const topic = 'rollout.steps';
    const owner = { topic, term: 1 };
    const start = (offset: number, rollout_id: string) => sampleStep(offset, { seq: 0, rollout_id });
    const unit = (id: string) => `run-1/0/r/${id}`;
    const decision = (id: string, offset: number, score_id: string, replay_id = '') =>
      sampleDecision(offset, { rollout_id: id, unit: unit(id), score_id, replay_id });
    await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
    await store.insert(encodeSteps([start(1, 'a'), start(2, 'b')], owner));
    await store.insert(encodeDecisions([decision('a', 3, 'live a'), decision('b', 4, 'live b')], owner));
    await store.insert(encodeDecisions([decision('a', 3, 'again a', 'earlier')], { topic, term: 0 }));
    await store.insert(encodeLanes([{ partition: 0, frontier: 9, watermark: 9, open: [] }], owner));
    const kept = { run_id: 'run-1', epoch: 0, attempt: 0, scorer: 's', scorer_version: '2', status: 'scored' } as const;
    const told = { rewards: { score: 0.5, other: null }, report: 'half', atMs: 1 };
    await store.insert(
      encodeReplayVerdicts([
        { ...kept, ...told, replay_id: 'mine', unit: unit('b'), rollout_id: 'b', turn: -1, version: 1n },
        { ...kept, ...told, replay_id: 'mine', unit: unit('b'), rollout_id: 'b', turn: 2, version: 1n },
        { ...kept, ...told, replay_id: 'mine', unit: unit('b'), rollout_id: 'b', turn: 2, version: 2n, report: 'late' },
        { ...kept, ...told, replay_id: "another's", unit: unit('a'), rollout_id: 'a', turn: -1, version: 1n },
      ]),
    );
    const deps = { store, topic, partitions: 1, override: {}, withTokens: false, log: () => {} };
    const request = { ...ALL, against: 'earlier', withVerdicts: true, replayId: 'mine' };
    const { units } = await readAll(createStoreSource({ ...deps, request }));
    expect(units.map(({ decided, open }) => [decided.map(({ score_id }) => score_id), open])).toEqual([
      [['again a'], []],
      [['live b'], []],
    ]);
    const verdict = { scorer: 's', scorer_version: '2', status: 'scored', rewards: { score: 0.5, other: null } };
    expect(units.map(({ newVerdicts }) => newVerdicts)).toEqual([
      [],
      [
        { rolloutId: 'b', attempt: 0, verdict: { ...verdict, bound_to: null, report_json: 'half' } },
        { rolloutId: 'b', attempt: 0, verdict: { ...verdict, bound_to: 2, report_json: 'late' } },
      ],
    ]);
    await remove();
  });
});
