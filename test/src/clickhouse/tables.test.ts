import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditRow, RewardRow } from '../../../processors/model/effects.ts';
import { decisionSchema } from '../../../schemas/generated/decision.ts';
import { lookupDecisions } from '../../../src/clickhouse/decisions-lookup.ts';
import { readDocument } from '../../../src/clickhouse/documents-lookup.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeAudits } from '../../../src/clickhouse/tables/audits.ts';
import { encodeDeadLetters } from '../../../src/clickhouse/tables/dead-letters.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeDeliveries } from '../../../src/clickhouse/tables/deliveries.ts';
import { encodeDeliveryLeases } from '../../../src/clickhouse/tables/delivery-leases.ts';
import { encodeDocuments } from '../../../src/clickhouse/tables/documents.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../src/clickhouse/tables/lineages.ts';
import { encodeRewards } from '../../../src/clickhouse/tables/rewards.ts';
import { encodeRuns, type RunRow } from '../../../src/clickhouse/tables/runs.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { encodeTrainMatch } from '../../../src/clickhouse/tables/train-match.ts';
import { encodeVerdicts } from '../../../src/clickhouse/tables/verdicts.ts';
import { readTerms } from '../../../src/clickhouse/terms-lookup.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';
import { sampleDelivery, sampleLease, sampleLineage, sampleMatch } from './tables/sample-deliveries.ts';
import { decisionOf, sampleDecision, sampleStep } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const owner = { topic: 'rollout.steps', term: 7 };
const store = () => temporary.store;
const only = async (sql: string) => (await store().query<Record<string, unknown>>(sql))[0];
const CAUSE = { topic: 'rollout.steps', partition: 0, term: 7 };

test('decisions: every field comes back', async () => {
  const rows = fc.sample(schemaArbitrary(decisionSchema), { numRuns: 100, seed: 2 }).map((value, offset) => ({
    ...decisionOf(value),
    ...{ offset, rollout_id: `r${offset}` },
  }));
  await store().insert(encodeDecisions(rows, owner));
  const names = Object.keys(sampleDecision(0)).filter((name) => !name.endsWith('_at'));
  const found = await store().query(
    `SELECT ${names.join(', ')}, arrayMap(t -> toUnixTimestamp64Micro(t), [started_at, ended_at, decided_at]) AS times
     FROM rollstream.decisions FINAL WHERE startsWith(rollout_id, 'r') ORDER BY offset`,
  );
  expect(found).toEqual(
    rows.map(({ started_at, ended_at, decided_at, ...rest }) => ({
      ...rest,
      times: [started_at, ended_at, decided_at],
    })),
  );
});

test('attempts: the start event by name, 1970 where it has no time', async () => {
  const start = { tokenizer_id: 'qwen3', weights_version: 'w1' };
  const row = sampleStep(4, { run_id: 'at', group_id: 'g', group_size: 8, attempt: 2, start });
  await store().insert(encodeAttempts([row], owner));
  expect(await only("SELECT * EXCEPT version FROM rollstream.attempts WHERE run_id = 'at'")).toEqual({
    ...{ run_id: 'at', purpose: 'train', env_name: 'env', task_id: 'task', epoch: 0, group_id: 'g', group_size: 8 },
    ...{ rollout_id: 'r0', attempt: 2, unit: 'at/0/g/g', replay_id: '', event_id: 'e4', producer_id: 'p', ...start },
    ...{ source_format: 'test', source_version: '', source_location: null, started_at: null, ended_at: null },
    ...{ event_time: '1970-01-01 00:00:00.000000', appended_at: '2023-11-14 22:13:20.000000', offset: 4, ...CAUSE },
  });
});

test('rewards: null is not 0, and a part of the whole attempt has turn -1', async () => {
  const part: RewardRow = {
    ...{ run_id: 'rw', epoch: 1, unit: 'rw/1/r/r', rollout_id: 'r', attempt: 0, replay_id: '', scorer: 's' },
    ...{ scorer_version: '2', turn: null, component: 'correct', value: null, status: 'timeout', policy_id: 'p' },
    ...{ score_id: 'x', started_at: 1_500_000, partition: 0, offset: 9 },
  };
  await store().insert(encodeRewards([part, { ...part, turn: 3, value: -0.25, status: 'scored' }], owner));
  const rows = await store().query("SELECT * EXCEPT version FROM rollstream.rewards WHERE run_id = 'rw' ORDER BY turn");
  const time = '1970-01-01 00:00:01.500000';
  const common = { ...part, ...CAUSE, event_time: time, started_at: time };
  expect(rows).toEqual([
    { ...common, turn: -1 },
    { ...common, turn: 3, value: -0.25, status: 'scored' },
  ]);
});

test('verdicts: a late repeat does not replace the one that counted', async () => {
  const verdict = {
    scorer: 's',
    scorer_version: '',
    status: 'scored',
    rewards: { a: null, b: 0 },
    bound_to: 2,
  } as const;
  const row = { ...sampleStep(7, { run_id: 'vd', kind: 'verdict', event_id: 'v', verdict }), late: false };
  await store().insert(encodeVerdicts([row, { ...row, late: true, offset: 20, cause: 20 }], owner));
  const rows = await store().query(
    `SELECT event_id, late, scorer, status, rewards, bound_to, report_json, seq, offset, cause
     FROM rollstream.verdicts FINAL WHERE run_id = 'vd' ORDER BY late`,
  );
  const common = {
    event_id: 'v',
    scorer: 's',
    status: 'scored',
    rewards: { a: null, b: 0 },
    bound_to: 2,
    report_json: null,
    seq: -1,
  };
  expect(rows).toEqual([
    { ...common, late: false, offset: 7, cause: 7 },
    { ...common, late: true, offset: 20, cause: 20 },
  ]);
});

test('audits: a result without findings is a row too', async () => {
  const audit: AuditRow = {
    ...{ run_id: 'au', epoch: 0, unit: 'au/0/r/r', rollout_id: 'r', attempt: 0, replay_id: '', audit: 'tokens' },
    ...{ result: 'fail', class: 'pipeline_drift', severity: 'fail', turn: null, index: null, detail: 'not the ids' },
    ...{ evidence: { ids: [1, 4_294_967_295], text: 'a' }, started_at: null, partition: 0, offset: 3 },
  };
  const { evidence: _, ...row } = audit;
  await store().insert(encodeAudits([audit], owner));
  expect(await only("SELECT * EXCEPT (version, event_time) FROM rollstream.audits WHERE run_id = 'au'")).toEqual({
    ...{
      ...row,
      ...CAUSE,
      turn: -1,
      index: -1,
      ids: [1, 4_294_967_295],
      expected_ids: [],
      text: 'a',
      expected_text: '',
    },
  });
});

test('dead letters: bytes as they came, a null key is not an empty one', async () => {
  const value = Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80, 0xc3]);
  const letter = {
    ...{ topic: 'in', partition: 1, offset: 5, appendedAtMs: 0, key: null, value, headers: { h: 'ü' } },
    fault: { stage: 'decode', code: 'trailing_bytes', field: '', expected: 'the end', got: '3 bytes' },
  };
  await store().insert(encodeDeadLetters([letter, { ...letter, offset: 6, key: Buffer.alloc(0) }], owner));
  const rows = await store().query(
    'SELECT offset, key IS NULL AS no_key, hex(value) AS bytes, headers, stage, code, got FROM rollstream.dead_letters ORDER BY offset',
  );
  const common = {
    bytes: 'FF00EDA080C3',
    headers: { h: 'ü' },
    stage: 'decode',
    code: 'trailing_bytes',
    got: '3 bytes',
  };
  expect(rows).toEqual([
    { ...common, offset: 5, no_key: 1 },
    { ...common, offset: 6, no_key: 0 },
  ]);
});

test('lanes: the newest owner’s row is the one, with its open attempts', async () => {
  const open = [
    { run_id: 'a', epoch: 0, unit: 'a/0/r/x', rollout_id: 'x', attempt: 1 },
    { run_id: 'b', epoch: 2, unit: 'b/2/g/y', rollout_id: 'z', attempt: 0 },
  ];
  await store().insert(encodeLanes([{ partition: 4, frontier: 10, watermark: 3, open }], owner));
  await store().insert(encodeLanes([{ partition: 4, frontier: 99, watermark: 99, open: [] }], { ...owner, term: 6 }));
  const rows = await store().query(
    'SELECT term, frontier, watermark, arrayZip(`open.run_id`, `open.epoch`, `open.unit`, `open.rollout_id`, `open.attempt`) AS held FROM rollstream.lanes FINAL WHERE partition = 4',
  );
  expect(rows).toEqual([{ term: 7, frontier: 10, watermark: 3, held: open.map((one) => Object.values(one)) }]);
});

test('terms are read in order, of one partition', async () => {
  for (const [term, restored] of [
    [2, 50],
    [1, 0],
    [2, 50],
  ] as const) {
    await store().insert(encodeTerms([{ partition: 9, restored }], { topic: 'x', term }));
  }
  await store().insert(encodeTerms([{ partition: 8, restored: 1 }], { topic: 'x', term: 1 }));
  expect(await readTerms(store(), 'x', 9)).toEqual([
    { term: 1, restored: 0 },
    { term: 2, restored: 50 },
  ]);
});

test('deliveries: every field comes back, null where it does not apply', async () => {
  const trained = sampleDelivery(2 ** 40, {
    run_id: 'dl',
    replay_id: 'p',
    lag: -1,
    tokens: 2 ** 50,
    version: 2n ** 63n + 1n,
  });
  const queued = sampleDelivery(7, {
    ...{ run_id: 'dl', state: 'queued', step: null, lag: null, takenAtMs: null, endedAtMs: null, waitedMs: null },
    deadlineMs: 1_700_000_300_007,
  });
  await store().insert(encodeDeliveries([trained, queued]));
  const common = {
    ...{ run_id: 'dl', epoch: 0, attempt: 0, lease_id: '1.a.2', lineage: 0, consumer: 't', deliveries: 1, reason: '' },
    ...{ weights_version: 'v1', ready_at: '2023-11-14 22:13:20.000', at: '2023-11-14 22:13:20.400' },
  };
  expect(
    await store().query(
      "SELECT * REPLACE (toString(version) AS version) FROM rollstream.deliveries WHERE run_id = 'dl' ORDER BY ready_offset",
    ),
  ).toEqual([
    {
      ...{ ...common, unit: 'run-1/0/r/r7', rollout_id: 'r7', ready_offset: 7, state: 'queued', step: null, lag: null },
      replay_id: '',
      ...{ tokens: 10, deadline: '2023-11-14 22:18:20.007', taken_at: null, ended_at: null, waited_ms: null },
      version: '1099511627779',
    },
    {
      ...{ ...common, unit: 'run-1/0/r/r1099511627776', rollout_id: 'r1099511627776', ready_offset: 1_099_511_627_776 },
      replay_id: 'p',
      ...{ state: 'trained', step: 1, lag: -1, tokens: 1_125_899_906_842_624, deadline: null, waited_ms: 0 },
      ...{ taken_at: '2023-11-14 22:13:20.100', ended_at: '2023-11-14 22:13:20.400', version: '9223372036854775809' },
    },
  ]);
});

test('deliveries: of two facts about one trajectory the later in the lease log is kept, in each run', async () => {
  const at = (claim: bigint, seq: bigint, init: Parameters<typeof sampleDelivery>[1]) =>
    sampleDelivery(1, { run_id: 'twice', version: claim * 2n ** 40n + seq, ...init });
  await store().insert(
    encodeDeliveries([at(2n, 1n, { state: 'queued' }), at(1n, 9n, {}), at(1n, 1n, { run_id: 'fork' })]),
  );
  expect(
    await store().query(
      "SELECT run_id, state FROM rollstream.deliveries FINAL WHERE run_id IN ('twice', 'fork') ORDER BY run_id",
    ),
  ).toEqual([
    { run_id: 'fork', state: 'trained' },
    { run_id: 'twice', state: 'queued' },
  ]);
});

test('delivery leases: a grant is one row, by its last word', async () => {
  const step = { run_id: 'ls', key_name: 'step', key_index: 1_200, key_try: 2, dp: 8, unit: 'rollout' } as const;
  await store().insert(encodeDeliveryLeases([sampleLease('3.b.1', step)]));
  const end = { endedAtMs: 1_700_000_000_900, ended_how: 'trained', step: 1_200, version: 2n ** 42n } as const;
  await store().insert(encodeDeliveryLeases([sampleLease('3.b.1', { ...step, ...end })]));
  expect(
    await store().query("SELECT * EXCEPT version FROM rollstream.delivery_leases FINAL WHERE run_id = 'ls'"),
  ).toEqual([
    {
      ...{ ...step, lease_id: '3.b.1', lineage: 0, consumer: 't', trajectories: 1, tokens: 10, waited_ms: 0 },
      ...{ granted_at: '2023-11-14 22:13:20.100', deadline: '2023-11-14 22:18:20.100' },
      ...{ ended_at: '2023-11-14 22:13:20.900', ended_how: 'trained', step: 1_200 },
    },
  ]);
});

test('runs: what was last said of each, a quota that is not said is null', async () => {
  const row: RunRow = {
    ...{
      run_id: 'ru/ü',
      state: 'deleted',
      purpose: null,
      note: 'why',
      events_per_second: null,
      in_flight_bytes: 65_536,
    },
    ...{
      createdAtMs: 1_000,
      changedAtMs: 2_500,
      changed_by: 'me',
      removed: { steps: 3 },
      ready_below: 7,
      held_below: 8,
    },
    ...{ gate_seq: 9, version: 2 },
  };
  await store().insert(encodeRuns([{ ...row, state: 'archived', purpose: 'eval', version: 1 }, row]));
  expect(await only("SELECT * FROM rollstream.runs FINAL WHERE run_id = 'ru/ü'")).toEqual({
    ...{
      run_id: 'ru/ü',
      state: 'deleted',
      purpose: null,
      note: 'why',
      events_per_second: null,
      in_flight_bytes: 65_536,
    },
    ...{ created_at: '1970-01-01 00:00:01.000', changed_at: '1970-01-01 00:00:02.500', changed_by: 'me' },
    ...{ removed: { steps: 3 }, ready_below: 7, held_below: 8, gate_seq: 9, version: 2 },
  });
});

test('lineages: checkpoints, rewinds and the fork of a run', async () => {
  const finals = { trained: 2, expired: 1 };
  const fork = {
    ...{ kind: 'fork' as const, of_lineage: 2, parent: 'p', inherited: 5, finals, versions: 3, step: 9, request: 'f' },
  };
  const other = { parent: '', inherited: 0, finals: {}, versions: 0 };
  const rows = [
    sampleLineage(1, { run_id: 'ln', step: 4 }),
    sampleLineage(0, { run_id: 'ln', ...fork }),
    sampleLineage(0, { run_id: 'ln', kind: 'seal', of_lineage: 0, step: 4, request: '' }),
    sampleLineage(0, { run_id: 'ln', kind: 'seal', of_lineage: 0, step: 5, request: '' }),
  ];
  await store().insert(encodeLineages(rows));
  expect(
    await store().query(
      "SELECT * EXCEPT (version, at) FROM rollstream.lineages FINAL WHERE run_id = 'ln' ORDER BY kind, step",
    ),
  ).toEqual([
    { run_id: 'ln', lineage: 0, ...fork },
    { run_id: 'ln', kind: 'rewind', lineage: 1, of_lineage: 0, step: 4, request: 'q', ...other },
    { run_id: 'ln', kind: 'seal', lineage: 0, of_lineage: 0, step: 4, request: '', ...other },
    { run_id: 'ln', kind: 'seal', lineage: 0, of_lineage: 0, step: 5, request: '', ...other },
  ]);
});

test('train match: what was not reported is null, not 0', async () => {
  await store().insert(encodeTrainMatch([sampleMatch('r', { run_id: 'tm', kl: 0, max_logprob_diff: 0.125 })]));
  expect(await only("SELECT * EXCEPT version FROM rollstream.train_match WHERE run_id = 'tm'")).toEqual({
    ...{ run_id: 'tm', epoch: 0, unit: 'run-1/0/r/r', rollout_id: 'r', attempt: 0, lineage: '0', step: 1 },
    ...{ kl: 0, max_logprob_diff: 0.125, clipped_share: null, at: '2023-11-14 22:13:20.400000' },
  });
});

test('documents are found by their SHA-256', async () => {
  await store().insert(encodeDocuments([{ kind: 'policy', content: 'a: 1\n' }]));
  // printf 'a: 1\n' | sha256sum
  const id = '37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae';
  expect(await readDocument(store(), id)).toBe('a: 1\n');
  expect(await readDocument(store(), 'other')).toBeNull();
});

test('decisions of many units are found with one query, their terms with them, replays left out', async () => {
  const rows = Array.from({ length: 500 }, (_, index) =>
    sampleDecision(index, {
      ...{ run_id: 'lu', unit: `lu/0/g/g${index % 250}`, rollout_id: `r${index}\ud800`, attempt: index % 2 },
      ...{ disposition: 'retry', why: ['retry:env_fault'], started_at: (index % 12) * 3e12 },
    }),
  );
  await store().insert(
    encodeDecisions([...rows, sampleDecision(1, { run_id: 'lu', unit: 'lu/0/g/g1', replay_id: 'x' })], owner),
  );
  const refs = Array.from({ length: 300 }, (_, index) => ({ run_id: 'lu', unit: `lu/0/g/g${index}` }));
  const found = await lookupDecisions(store(), refs);
  expect(found.size).toBe(250);
  expect(found.get('lu/0/g/g3')).toEqual(
    [253, 3].map((index) => ({
      ...{ unit: 'lu/0/g/g3', rollout_id: `r${index}\ud800`, attempt: 1, disposition: 'retry', category: 'completion' },
      ...{ reason_code: 'task_complete', why: ['retry:env_fault'], reward: 1, reward_valid: true, in_loss: true },
      ...{ in_baseline: true, counts_for_size: true, policy_id: 'p', first_offset: 0, offset: index, ...CAUSE },
    })),
  );
  expect(await lookupDecisions(store(), [])).toEqual(new Map());
});

test('units of a run whose name is no UTF-8 are found as well', async () => {
  const run_id = 'odd\ud800';
  const unit = 'odd%ED%A0%80/0/r/r';
  await store().insert(encodeDecisions([sampleDecision(1, { run_id, unit, rollout_id: 'r' })], owner));
  const found = await lookupDecisions(store(), [{ run_id, unit }]);
  expect(found.get(unit)?.length).toBe(1);
});
