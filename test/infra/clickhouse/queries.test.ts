import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInit } from '../../../schemas/generated/decision.ts';
import { namedQueries } from '../../../src/access/named-queries.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { sampleDecision, sampleStep } from '../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

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

async function rollout(id: string, task_id: string, decision: Partial<DecisionInit> | null): Promise<void> {
  const of = { run_id: run, rollout_id: id, task_id };
  const { store } = temporary;
  await store.insert(encodeAttempts([sampleStep(offset++, { ...of, start: {} })], owner));
  if (decision !== null)
    await store.insert(
      encodeDecisions([sampleDecision(offset++, { ...of, unit: `${run}/0/r/${id}`, ...decision })], owner),
    );
  await store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
}
const rowsOf = (name: string, params: Record<string, string> = {}): Promise<Array<Record<string, unknown>>> => {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  return temporary.store.query(query.sql, { run, ...params });
};

const seconds = (n: number) => ({ started_at: 1_700_000_000_000_000, ended_at: 1_700_000_000_000_000 + n * 1e6 });

it('what docs/sql.md shows is accepted', async () => {
  const blocks = readFileSync(packageFile('docs', 'sql.md'), 'utf8').matchAll(/```sql\n([\s\S]*?)```/g);
  const statements = [...blocks].flatMap(([, block = '']) => block.split(';').filter((text) => text.trim() !== ''));
  expect(statements.length).toBeGreaterThan(5);
  for (const statement of statements) await temporary.store.query(statement);
});

describe('fcfs_bias', () => {
  it('shows who is left out for its age, by duration, length and task (case 107)', async () => {
    // Four of one second, all trained; four of a minute, of which three were too old.
    for (let i = 0; i < 4; i++) await rollout(`fast-${i}`, 'quick', { ...seconds(0.5), n_sampled_tokens: 100 });
    await rollout('slow-0', 'long', { ...seconds(60), n_sampled_tokens: 5000 });
    const stale = { in_loss: false, ...seconds(60), n_sampled_tokens: 5000 };
    await rollout('slow-1', 'long', { ...stale, disposition: 'drop', why: ['stale', 'task_complete'] });
    await rollout('slow-2', 'long', { ...stale, disposition: 'drop', why: ['stale', 'task_complete'] });
    await rollout('slow-3', 'long', { ...stale, disposition: 'train_masked', why: ['stale', 'task_complete'] });
    const of = (dimension: string, rows: ReadonlyArray<Record<string, unknown>>) =>
      rows.filter((row) => row.dimension === dimension).map(({ run_id, dimension: _, ...rest }) => rest);
    const rows = await rowsOf('fcfs_bias');
    const fast = {
      ...{ started: 4, trained: 4, stale_dropped: 0, stale_masked: 0, stale_tokens: 0 },
      ...{ share_started: 0.5, share_trained: 0.8, ratio: 1.6 },
    };
    const slow = {
      ...{ started: 4, trained: 1, stale_dropped: 2, stale_masked: 1, stale_tokens: 0 },
      ...{ share_started: 0.5, share_trained: 0.2, ratio: 0.4 },
    };
    expect(of('duration', rows)).toEqual([
      { bucket: '0 to 1 s', ...fast },
      { bucket: '1 to 10 min', ...slow },
    ]);
    expect(of('length', rows)).toEqual([
      { bucket: 'below 256', ...fast },
      { bucket: '4 to 16 Ki', ...slow },
    ]);
    expect(of('task', rows)).toEqual([
      { bucket: 'long', ...slow },
      { bucket: 'quick', ...fast },
    ]);
  });

  it('counts what is open, what has no time, and what lost a part of its tokens; nothing is divided by nothing', async () => {
    await rollout('open', 't', null);
    await rollout('no-time', 't', { disposition: 'drop', why: ['no_tokens'], in_loss: false });
    await rollout('backwards', 't', { ...seconds(-5), disposition: 'drop', why: ['no_tokens'], in_loss: false });
    const rows = (await rowsOf('fcfs_bias')).filter((row) => row.dimension === 'duration');
    expect(rows.map(({ bucket, started, share_trained, ratio }) => [bucket, started, share_trained, ratio])).toEqual([
      ['no_time', 2, null, null],
      ['open', 1, null, null],
    ]);
    await rollout('part', 't', { why: ['task_complete', 'stale_tokens'] });
    const [task] = (await rowsOf('fcfs_bias')).filter((row) => row.dimension === 'task');
    expect(task).toMatchObject({ bucket: 't', started: 4, trained: 1, stale_tokens: 1, ratio: 1 });
  });
});

describe('task_difficulty', () => {
  it('gives attempts and pass rate by task and weights version; what has no valid reward is in no rate', async () => {
    const v7 = { weights_version_min: '7' };
    await rollout('a', 'sum', { ...v7, reward: 1 });
    await rollout('b', 'sum', { ...v7, reward: 0 });
    await rollout('c', 'sum', { ...v7, reward: null, reward_valid: false, disposition: 'retry', why: ['retry:x'] });
    await rollout('d', 'sum', { weights_version_min: '8', reward: 0.5 });
    await rollout('e', 'sum', { weights_version_min: null, reward: null, reward_valid: false, disposition: 'drop' });
    const rows = await rowsOf('task_difficulty', { task: '', pass: '' });
    const shown = ({
      weights_version,
      attempts,
      scored,
      passed,
      pass_rate,
      mean_reward,
      spread,
      retried,
    }: Record<string, unknown>) => [
      ...[weights_version, attempts, scored, passed, pass_rate, mean_reward, spread, retried],
    ];
    expect(rows.map(shown).sort()).toEqual(
      [
        ['7', 3, 2, 1, 0.5, 0.5, 1, 1],
        ['8', 1, 1, 0, 0, 0.5, 0, 0],
        [null, 1, 0, 0, null, null, null, 0],
      ].sort(),
    );
    const low = await rowsOf('task_difficulty', { task: 'sum', pass: '0.5' });
    expect(low.find((row) => row.weights_version === '8')).toMatchObject({ passed: 1, pass_rate: 1 });
    expect(await rowsOf('task_difficulty', { task: 'other', pass: '' })).toEqual([]);
  });
});
