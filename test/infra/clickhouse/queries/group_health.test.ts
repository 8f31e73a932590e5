import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInit } from '../../../../schemas/generated/decision.ts';
import { askedWith, namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeAttempts } from '../../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { sampleDecision, sampleStep, sampleTrajectory } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** Each test has a run of its own, in a topic of its own. */
let serial = 0;
let run = '';
let owner = { topic: '', term: 1 };
let offset = 0;
beforeEach(async () => {
  run = `run-${++serial}`;
  owner = { topic: `topic-${serial}`, term: 1 };
  offset = 0;
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

type Row = Readonly<Record<string, unknown>>;
type Open = Readonly<{ run_id: string; epoch: number; unit: string; rollout_id: string; attempt: number }>;
const INVALID = {
  reward: null,
  reward_valid: false,
  in_loss: false,
  in_baseline: false,
  counts_for_size: false,
} as const;

const groupUnit = (group: string): string => `${run}/0/g/${group}`;
/** A decision about a member of a group. */
const member = (group: string, rollout_id: string, init: Partial<DecisionInit> = {}) =>
  sampleDecision(offset++, {
    ...{ run_id: run, group_id: group, unit: groupUnit(group), rollout_id, task_id: `task-${group}`, ...init },
  });

async function decided(rows: ReadonlyArray<ReturnType<typeof member>>, open: readonly Open[] = []): Promise<void> {
  const starts = rows.map(({ rollout_id, attempt, group_id }) =>
    sampleStep(offset++, { run_id: run, rollout_id, attempt, group_id, start: {} }),
  );
  await temporary.store.insert(encodeAttempts(starts, owner));
  await temporary.store.insert(encodeDecisions(rows, owner));
  await temporary.store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open }], owner));
}

async function rowsOf(name: string, params: Readonly<Record<string, string>> = {}): Promise<Row[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  return temporary.store.query<Row>(query.sql, askedWith(query, { run, ...params }));
}

/** Five groups: whole, in part, lost, one that waits, and one whose size nobody told. */
async function fiveGroups(): Promise<void> {
  const of2 = { group_size: 2 };
  await decided(
    [
      member('whole', 'a', { ...of2, reward: 1 }),
      member('whole', 'b', { ...of2, reward: 0, decided_at: 1_700_000_001_000_000 }),
      member('part', 'a', { ...of2, reward: 0.5 }),
      member('part', 'b', { ...of2, ...INVALID, disposition: 'drop', why: ['env_crash', 'retries_exhausted'] }),
      member('lost', 'a', { ...of2, ...INVALID, disposition: 'drop', why: ['group_too_small', 'x'] }),
      member('waits', 'a', { ...of2, ...INVALID, disposition: 'retry', why: ['retry:env_crash'] }),
      member('untold', 'a', { reward: 1 }),
      member('untold', 'b', { reward: 1 }),
      member('untold', 'c', { ...INVALID, disposition: 'superseded', why: ['higher_attempt'] }),
      // None of these counts: of another purpose, without a group, under a replay.
      member('eval', 'a', { ...of2, purpose: 'eval', disposition: 'drop', why: ['purpose'], in_loss: false }),
      sampleDecision(offset++, { run_id: run, rollout_id: 'alone', unit: `${run}/0/r/alone` }),
      member('part', 'b', { ...of2, reward: 9, replay_id: 'again' }),
    ],
    [{ run_id: run, epoch: 0, unit: groupUnit('waits'), rollout_id: 'a', attempt: 1 }],
  );
}

describe('group_health', () => {
  it('puts each group into one book: complete, partial, rejected, open or unsized', async () => {
    await fiveGroups();
    expect(await rowsOf('group_health')).toEqual([
      {
        ...{ run_id: run, env_name: 'env', groups: 5, complete: 1, partial: 1, rejected: 1, open: 1, unsized: 1 },
        // Members: 2, 2, 1, 1 and 3. Means 0.5, 0.5 and 1; spreads 1, 0 and 0.
        ...{ zero_variance: 1, mean_size: 1.8, mean_reward: 2 / 3, mean_spread: 1 / 3, out_of_baseline: 2 },
      },
    ]);
  });

  it('has no mean where nothing counts; one that was filtered for its want of spread has its rewards', async () => {
    await decided([member('lost', 'a', { ...INVALID, group_size: 1, disposition: 'drop', why: ['auth'] })]);
    expect(await rowsOf('group_health')).toMatchObject([{ groups: 1, mean_reward: null, mean_spread: null }]);
    const flat = { group_size: 2, in_loss: false, in_baseline: false, disposition: 'drop', reward: 0.25 } as const;
    const why = ['zero_variance', 'task_complete'];
    await decided([member('flat', 'a', { ...flat, why }), member('flat', 'b', { ...flat, why })]);
    expect(await rowsOf('group_health')).toMatchObject([
      { groups: 2, rejected: 2, zero_variance: 1, mean_reward: 0.25, mean_spread: 0, out_of_baseline: 1 },
    ]);
  });
});

describe('groups', () => {
  it('lists those first that have the fewest members in the loss, then those without spread', async () => {
    await fiveGroups();
    const rows = await rowsOf('groups');
    expect(rows.map(({ group_id, state, in_loss, reward_mean }) => [group_id, state, in_loss, reward_mean])).toEqual([
      ...[
        ['lost', 'rejected', 0, null],
        ['waits', 'open', 0, null],
        ['part', 'partial', 1, 0.5],
      ],
      ...[
        ['untold', 'unsized', 2, 1],
        ['whole', 'complete', 2, 0.5],
      ],
    ]);
    expect(rows.at(-1)).toEqual({
      ...{
        run_id: run,
        env_name: 'env',
        unit: groupUnit('whole'),
        group_id: 'whole',
        task_id: 'task-whole',
        expected: 2,
      },
      ...{ members: 2, in_loss: 2, in_baseline: 2, state: 'complete', reward_mean: 0.5, is_zero_variance: false },
      // n - 1 in the denominator: both are 0.5 from their mean.
      ...{ reward_std: Math.SQRT1_2, first_ready_at: '2023-11-14 22:13:20.000000' },
    });
    expect(rows.find((row) => row.group_id === 'part')).toMatchObject({ reward_std: null, is_zero_variance: false });
    expect(rows.find((row) => row.group_id === 'untold')).toMatchObject({
      expected: null,
      members: 3,
      is_zero_variance: true,
    });
    expect(await rowsOf('groups', { limit: '1', env: 'env' })).toHaveLength(1);
    expect(await rowsOf('groups', { env: 'other' })).toEqual([]);
  });

  it('what the gate holds is not ready yet', async () => {
    await decided([member('held', 'a', { group_size: 1, held: true })]);
    expect(await rowsOf('groups')).toMatchObject([{ state: 'complete', first_ready_at: null }]);
  });
});

describe('group_members', () => {
  it('has every attempt of the group, each with what its advantage was computed from', async () => {
    await decided([
      member('g', 'a', { ...INVALID, disposition: 'retry', why: ['retry:env_crash'] }),
      member('g', 'a', { attempt: 1, reward: 1, advantage: 0.5, lag: 2, why: ['task_complete', 'stale_tokens'] }),
      member('g', 'b', { reward: 0, advantage: null }),
      member('other', 'c'),
    ]);
    const stats = { baseline: 'leave_one_out', n: 2, mean: 0.5, std: null };
    const row = sampleTrajectory(offset++, { run_id: run, rollout_id: 'a', attempt: 1, group_stats: stats });
    await temporary.store.insert(encodeTrajectories([{ ...row, unit: groupUnit('g') }], owner));
    await temporary.store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
    const nothing = { group_baseline: null, group_n: null, group_mean: null, group_std: null };
    const rows = await rowsOf('group_members', { unit: groupUnit('g') });
    expect(rows.map(({ rollout_id, attempt, reason, advantage }) => [rollout_id, attempt, reason, advantage])).toEqual([
      ...[
        ['a', 0, 'retry:env_crash', null],
        ['a', 1, 'task_complete', 0.5],
        ['b', 0, 'task_complete', null],
      ],
    ]);
    expect(rows[1]).toMatchObject({
      ...{ why: ['task_complete', 'stale_tokens'], lag: 2, n_tokens: 10, reward: 1, reward_valid: true },
      ...{ group_baseline: 'leave_one_out', group_n: 2, group_mean: 0.5, group_std: null },
    });
    expect(rows[0]).toMatchObject({ ...nothing, counts_for_size: false });
    expect(rows[2]).toMatchObject(nothing);
  });
});

describe('retries', () => {
  it('follows each retried attempt to the last of its rollout, in its own run', async () => {
    const retry = (code: string): Partial<DecisionInit> => ({
      ...INVALID,
      disposition: 'retry',
      why: [`retry:${code}`],
    });
    const rows = [
      // Twice again, then trained; once again, then dropped; never again.
      member('g', 'twice', retry('env_crash')),
      member('g', 'twice', { attempt: 1, ...retry('env_crash') }),
      member('g', 'twice', { attempt: 2, reward: 0.5 }),
      member('g', 'once', retry('env_crash')),
      member('g', 'once', { attempt: 1, ...INVALID, disposition: 'drop', why: ['env_crash'] }),
      member('g', 'never', retry('worker_lost')),
      member('g', 'fine', {}),
    ];
    await decided(rows);
    // The same rollout of another run has come back: that is not this one's.
    const here = run;
    run = `${here}-other`;
    await decided([member('g', 'never', { attempt: 1, reward: 1 })]);
    run = here;
    // Begun again, and open.
    const open = sampleStep(offset++, { run_id: run, rollout_id: 'begun', attempt: 1, group_id: 'g', start: {} });
    await temporary.store.insert(encodeAttempts([open], owner));
    await decided([member('g', 'begun', retry('llm_error'))]);
    const nothing = { trained: 0, mean_reward_after: null };
    expect(await rowsOf('retries')).toEqual([
      {
        ...{ run_id: run, env_name: 'env', reason: 'retry:env_crash', retried: 3, came_back: 3, trained: 2 },
        mean_reward_after: 0.5,
      },
      { run_id: run, env_name: 'env', reason: 'retry:llm_error', retried: 1, came_back: 1, ...nothing },
      { run_id: run, env_name: 'env', reason: 'retry:worker_lost', retried: 1, came_back: 0, ...nothing },
    ]);
  });
});

describe('pass_at_k', () => {
  it('is the mean over tasks of the unbiased estimate; what has no valid reward is no failure', async () => {
    const rewards = { sum: [1, 0, 0, 0], root: [1, 1], odd: [0.4] };
    await decided([
      ...Object.entries(rewards).flatMap(([task, list]) => list.map((reward, i) => member(task, `${i}`, { reward }))),
      member('odd', 'fault', { ...INVALID, disposition: 'drop', why: ['env_crash'] }),
      member('eval', 'a', { purpose: 'eval', reward: 1, weights_version_min: '7' }),
    ]);
    const rows = await rowsOf('pass_at_k', { k: '4, 1,2,2,x,0' });
    expect(
      rows.map(({ purpose, weights_version, k, tasks, attempts, pass_at_k }) => [
        ...[purpose, weights_version, k, tasks, attempts, pass_at_k],
      ]),
    ).toEqual([
      ['eval', '7', 1, 1, 1, 1],
      ...[
        ['eval', '7', 2, 0, 0, null],
        ['eval', '7', 4, 0, 0, null],
      ],
      // 1/4, 1 and 0 of three tasks.
      ['train', null, 1, 3, 7, expect.closeTo(1.25 / 3, 12)],
      // 1 - C(3,2)/C(4,2) = 1/2, and 1.
      ['train', null, 2, 2, 6, 0.75],
      ['train', null, 4, 1, 4, 1],
    ]);
    const low = await rowsOf('pass_at_k', { k: '1', pass: '0.4' });
    expect(low.at(-1)).toMatchObject({ tasks: 3, pass_at_k: expect.closeTo(2.25 / 3, 12) });
  });

  it('holds for thousands of attempts, where binomials are beyond any double', async () => {
    await decided(Array.from({ length: 3000 }, (_, i) => member('big', `r${i}`, { reward: i < 300 ? 1 : 0 })));
    const [one, hundred, all] = await rowsOf('pass_at_k', { k: '1,100,2701' });
    expect(one?.pass_at_k).toBeCloseTo(0.1, 12);
    // 1 - C(2700,100)/C(3000,100), by Python's exact integers.
    expect(hundred?.pass_at_k).toBeCloseTo(0.9999779848457222, 12);
    expect(all?.pass_at_k).toBe(1);
  });
});
