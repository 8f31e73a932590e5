import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import type { GateState } from '../../../processors/model/gate.ts';
import type { DecisionInit } from '../../../schemas/generated/decision.ts';
import { namedQueries } from '../../../src/access/named-queries.ts';
import { type Admission, createAdmission } from '../../../src/admission/admission.ts';
import type { KeptGrants } from '../../../src/admission/grants.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { type DeliveryRow, encodeDeliveries } from '../../../src/clickhouse/tables/deliveries.ts';
import { encodeGates } from '../../../src/clickhouse/tables/gates.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../src/clickhouse/tables/lineages.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { policyText } from '../../processors/harness.ts';
import { sampleDelivery, sampleLineage } from '../clickhouse/tables/sample-deliveries.ts';
import { sampleDecision, sampleStep } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

let serial = 0;
let run = '';
let owner = { topic: '', term: 1 };
let offset = 0;
let clock = { wallMs: 0, elapsedMs: 0 };
let ordinal: number | null = null;
/** What outlives a server. */
let kept: Map<string, KeptGrants>;
beforeEach(async () => {
  run = `run-${++serial}`;
  owner = { topic: `topic-${serial}`, term: 1 };
  offset = 0;
  clock = { wallMs: Date.parse('2026-01-01T00:00:00Z'), elapsedMs: 0 };
  ordinal = null;
  kept = new Map();
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

/** A rollout that started; with a decision it is closed. */
async function rollout(id: string, env_name: string, decision?: Partial<DecisionInit>, attempt = 0): Promise<void> {
  const of = { run_id: run, rollout_id: id, env_name, attempt };
  // Counts are good for as long as lanes flush.
  clock.elapsedMs += 250;
  const { store } = temporary;
  await store.insert(encodeAttempts([sampleStep(offset++, { ...of, start: {} })], owner));
  if (decision !== undefined)
    await store.insert(
      encodeDecisions([sampleDecision(offset++, { ...of, unit: `${run}/0/r/${id}`, ...decision })], owner),
    );
  await store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
}

/** A server that has just started, under a policy with these sections. */
function serverWith(sections: string): Admission {
  const parsed = readPolicy(parse(`${policyText()}\n${sections}\n`), 'id');
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return createAdmission({
    store: temporary.store,
    keeper: {
      load: async () => new Map(kept),
      keep: async (runId, grants) => void kept.set(runId, JSON.parse(JSON.stringify(grants))),
      forget: async (runId) => void kept.delete(runId),
    },
    versions: {
      readOn: async () => undefined,
      current: (runId) =>
        ordinal === null ? null : { runId, lineage: '', step: ordinal, version: `v${ordinal}`, ordinal, source: 0 },
    },
    policy: async () => parsed.value,
    now: () => clock.wallMs,
    elapsed: () => clock.elapsedMs,
  });
}
const BY_LAG = 'staleness: { max_lag: 1 }\nadmission: { batch_rollouts: 4, grant_ms: 100000 }';
const ask = (admission: Admission, count: number, env: string | null = null) => admission({ runId: run, env, count });

describe('admission', () => {
  it('capacity is (max_lag + version + 1) × batch − (accepted + running)', async () => {
    const admission = serverWith(BY_LAG);
    await rollout('a', 'env', { disposition: 'train' });
    await rollout('b', 'env', { disposition: 'train_masked' });
    await rollout('c', 'env', { disposition: 'drop', why: ['no_tokens'] });
    await rollout('d', 'env');
    // (1 + 0 + 1) × 4 − (2 + 1)
    expect(await ask(admission, 2)).toEqual({
      granted: 2,
      capacity: 5,
      running: 1,
      accepted: 2,
      version: null,
      why: '',
      expires_at: '2026-01-01T00:01:40.000Z',
    });
    expect(await ask(admission, 9)).toMatchObject({ granted: 3, capacity: 3, running: 3, why: 'lag' });
    expect(await ask(admission, 1)).toMatchObject({
      granted: 0,
      capacity: 0,
      running: 6,
      why: 'lag',
      expires_at: null,
    });
    ordinal = 1;
    expect(await ask(admission, 9)).toMatchObject({ granted: 4, capacity: 4, version: 1 });
  });

  it('a start gives its grant back, and is running itself; a retry uses none', async () => {
    const admission = serverWith(BY_LAG);
    expect(await ask(admission, 3)).toMatchObject({ granted: 3, capacity: 8, running: 0 });
    await rollout('a', 'env');
    expect(await ask(admission, 1)).toMatchObject({ granted: 1, capacity: 5, running: 3 });
    await rollout('a', 'env', undefined, 1);
    // Attempt 0 and attempt 1 of a, and three grants.
    expect(await ask(admission, 1)).toMatchObject({ running: 5 });
  });

  it('what is not used in time is given back, by a clock that does not jump', async () => {
    const admission = serverWith(BY_LAG);
    await ask(admission, 8);
    clock.wallMs += 1e12;
    expect(await ask(admission, 1)).toMatchObject({ granted: 0, running: 8 });
    clock.wallMs -= 3e12;
    clock.elapsedMs += 100_000;
    expect(await ask(admission, 1)).toMatchObject({ granted: 1, running: 0 });
  });

  it('two that ask at once are not granted the same', async () => {
    const admission = serverWith(BY_LAG);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(admission, 3)));
    expect(answers.map(({ granted }) => granted)).toEqual([3, 3, 2, 0, 0]);
  });

  it('a restart counts anew from the store, and knows what was granted and not used', async () => {
    await rollout('a', 'env', { disposition: 'train' });
    await rollout('b', 'env');
    expect(await ask(serverWith(BY_LAG), 3)).toMatchObject({ granted: 3, capacity: 6 });
    await rollout('c', 'env');
    clock.elapsedMs = 7;
    const restarted = serverWith(BY_LAG);
    // b and c are open, two are granted still.
    expect(await ask(restarted, 1)).toMatchObject({ granted: 1, capacity: 3, running: 4, accepted: 1 });
    clock.elapsedMs += 100_000;
    expect(await ask(restarted, 9)).toMatchObject({ granted: 5, capacity: 5, running: 2 });
  });

  it('is zero while the gate holds, and again as before when it opens', async () => {
    const admission = serverWith(BY_LAG);
    const gate = (state: GateState, seq: number) => {
      clock.elapsedMs += 250;
      const row = {
        run_id: run,
        seq,
        state,
        by: 'set',
        classes: [],
        why_json: '{}',
        windowFromMs: 0,
        atMs: 1,
      } as const;
      return temporary.store.insert(encodeGates([row]));
    };
    await gate('hold', 1);
    expect(await ask(admission, 2)).toMatchObject({ granted: 0, why: 'gate' });
    await gate('open', 2);
    expect(await ask(admission, 2)).toMatchObject({ granted: 2, why: '' });
  });

  it('accepted is what the surviving history has or will get: a rewind changes nothing, what expired is given back', async () => {
    const admission = serverWith(BY_LAG);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await rollout(id, 'env', {});
    const say = (id: string, init: Partial<DeliveryRow>) => {
      clock.elapsedMs += 250;
      const of = { run_id: run, unit: `${run}/0/r/${id}`, rollout_id: id };
      return temporary.store.insert(encodeDeliveries([sampleDelivery(id.charCodeAt(0), { ...of, ...init })]));
    };
    await say('a', { step: 3 });
    await say('b', { state: 'leased', deadlineMs: 0 });
    await say('c', { state: 'queued' });
    expect(await ask(admission, 0)).toMatchObject({ capacity: 3, accepted: 5 });
    await temporary.store.insert(encodeLineages([sampleLineage(1, { run_id: run, step: 2 })]));
    await say('c', { state: 'expired', version: 2n ** 50n });
    expect(await ask(admission, 0)).toMatchObject({ capacity: 4, accepted: 4 });
    await say('d', { state: 'undeliverable' });
    await say('e', { state: 'trainer_rejected' });
    expect(await ask(admission, 0)).toMatchObject({ capacity: 6, accepted: 2 });
  });

  it('of versions that replays emitted one that may be trained is enough, and two are no more than one', async () => {
    const admission = serverWith(BY_LAG);
    for (const id of ['a', 'b', 'c']) await rollout(id, 'env', {});
    const say = (id: string, at: number, init: Partial<DeliveryRow>) => {
      clock.elapsedMs += 250;
      const of = { run_id: run, unit: `${run}/0/r/${id}`, rollout_id: id };
      return temporary.store.insert(encodeDeliveries([sampleDelivery(at, { ...of, ...init })]));
    };
    await say('a', 1, { state: 'replaced' });
    await say('a', 4, { state: 'expired', replay_id: 'p' });
    await say('b', 2, { state: 'expired' });
    await say('b', 5, { state: 'leased', replay_id: 'p' });
    await say('c', 3, { state: 'trained' });
    await say('c', 6, { state: 'queued', replay_id: 'p' });
    expect(await ask(admission, 0)).toMatchObject({ accepted: 2 });
  });

  it('a fork has accepted what it took over, and has made the versions before', async () => {
    const parent = run;
    for (const id of ['a', 'b', 'c']) await rollout(id, 'env', {});
    run = `${parent}-fork`;
    const taken = { kind: 'fork', parent, inherited: 6, finals: { trained: 2, expired: 1 }, versions: 2 } as const;
    await temporary.store.insert(encodeLineages([sampleLineage(0, { run_id: run, ...taken })]));
    const shared = (id: string, state: DeliveryRow['state']) =>
      sampleDelivery(id.charCodeAt(0), { run_id: run, unit: `${parent}/0/r/${id}`, rollout_id: id, state });
    await temporary.store.insert(
      encodeDeliveries([shared('a', 'trained'), shared('b', 'queued'), shared('c', 'undeliverable')]),
    );
    // Versions 0 and 1 are its parent's: (1 + 1 + 1) × 4 − (2 final, a, b).
    expect(await ask(serverWith(BY_LAG), 0)).toMatchObject({ accepted: 4, version: 1, capacity: 8, running: 0 });
    ordinal = 0;
    expect(await ask(serverWith(BY_LAG), 0)).toMatchObject({ version: 2, capacity: 12 });
    await rollout('own', 'math', {});
    expect(await ask(serverWith(BY_LAG), 0)).toMatchObject({ accepted: 5, capacity: 11 });
    const query = namedQueries().find(({ name }) => name === 'admission');
    expect(await temporary.store.query(query?.sql ?? '', { run })).toEqual([
      { env_name: '', started: 0, begun: 0, open: 0, accepted: 2 },
      { env_name: 'env', started: 0, begun: 0, open: 0, accepted: 2 },
      { env_name: 'math', started: 1, begun: 1, open: 0, accepted: 1 },
    ]);
  });

  it('has ceilings by environment, for which it must be told', async () => {
    const admission = serverWith('admission: { ceilings: { browser: 2 } }');
    await rollout('a', 'browser');
    await rollout('b', 'calc');
    expect(await ask(admission, 5, 'browser')).toMatchObject({
      granted: 1,
      capacity: null,
      running: 2,
      why: 'ceiling',
    });
    expect(await ask(admission, 5, 'browser')).toMatchObject({ granted: 0, why: 'ceiling' });
    expect(await ask(admission, 5, 'calc')).toMatchObject({ granted: 5, why: '' });
    await expect(ask(admission, 1)).rejects.toMatchObject({ code: 'RS_USAGE', facts: { field: 'env' } });
  });

  it('without a limit in the policy everything may start', async () => {
    const admission = serverWith('');
    expect(await ask(admission, 500)).toMatchObject({ granted: 500, capacity: null, why: '' });
  });
});
