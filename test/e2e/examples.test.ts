import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { jsonLinesOf, jsonOf, type Ran, rollstream } from './rollstream.ts';

/** What the files beside the examples say, worked out by hand. */
interface Expected {
  readonly run_id: string;
  readonly rollouts: ReadonlyArray<
    Readonly<Record<string, unknown>> & { readonly rollout_id: string; readonly attempt: number }
  >;
  readonly groups: ReadonlyArray<{
    group_id: string;
    size_expected: number;
    size_actual: number;
    mean: number;
    std: number;
  }>;
  readonly duplicates: ReadonlyArray<{ file: string; line: number; step_faults: Record<string, number> }>;
  readonly refusals: ReadonlyArray<{ file: string; line: number; message_includes: string }>;
}

interface Accounting {
  readonly runs: ReadonlyArray<{ run_id: string; started: number; ready: number; balanced: boolean; open: number }>;
}

// Each question is a process of its own.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const RUNS = readdirSync(packageFile('examples/rollouts'));
const rollouts = packageFile('examples/rollouts');

let data = '';
let imported: Ran;
let expected: Expected[] = [];

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'rollstream-examples-'));
  imported = await rollstream('import', rollouts, '--data', data, '--json');
  expected = await Promise.all(
    RUNS.map(
      async (run): Promise<Expected> => JSON.parse(await readFile(join(rollouts, run, 'expected.json'), 'utf8')),
    ),
  );
});
afterAll(() => rm(data, { recursive: true, force: true }));

const sql = async <Row>(text: string) =>
  jsonLinesOf<Row>(await rollstream('query', text, '--data', data, '--format', 'jsonl'));

it('gives every example the outcome that was worked out by hand', async () => {
  const decided = await sql<Record<string, unknown> & { run_id: string; rollout_id: string; attempt: number }>(
    `SELECT run_id, rollout_id, attempt, reason_code, category, disposition, why[1] AS why, reward, reward_valid, advantage,
      finish_reason, verifier_status, in_loss, n_turns, n_sampled_tokens AS sampled_tokens FROM rollstream.decisions FINAL`,
  );
  const found = new Map(decided.map((row) => [`${row.run_id} ${row.rollout_id} ${row.attempt}`, row]));
  for (const { run_id, rollouts: wanted } of expected) {
    for (const { story: _story, segment_count: _segments, ...outcome } of wanted) {
      const name = `${run_id} ${outcome.rollout_id} ${outcome.attempt}`;
      const { advantage, ...facts } = outcome;
      const row = found.get(name);
      expect(row, name).toMatchObject(facts);
      if (typeof advantage === 'number') expect(row?.advantage, name).toBeCloseTo(advantage, 6);
      else expect(row?.advantage, name).toBeNull();
      found.delete(name);
    }
  }
  expect([...found.keys()]).toEqual([]);
});

it('cuts each example into the segments that were worked out by hand', async () => {
  const segments = new Map(
    (
      await sql<{ name: string; segment_count: number }>(
        `SELECT concat(run_id, ' ', rollout_id, ' ', toString(attempt)) AS name, segment_count FROM rollstream.trajectories FINAL`,
      )
    ).map((row) => [row.name, row.segment_count]),
  );
  for (const { run_id, rollouts: wanted } of expected)
    for (const { rollout_id, attempt, segment_count, disposition } of wanted)
      if (disposition !== 'superseded')
        expect(segments.get(`${run_id} ${rollout_id} ${attempt}`), `${run_id} ${rollout_id}`).toBe(segment_count);
});

it('computes each group from the members that count', async () => {
  const ready = jsonLinesOf<{
    run_id: string;
    group_id: string;
    group_size_expected: number;
    group_size_actual: number;
    group_stats: { mean: number; std: number };
  }>(await rollstream('ready', '--data', data, '--json'));
  for (const { run_id, groups } of expected)
    for (const group of groups) {
      const members = ready.filter((member) => member.run_id === run_id && member.group_id === group.group_id);
      expect(members).toHaveLength(group.size_actual);
      for (const member of members) {
        expect(member).toMatchObject({
          group_size_expected: group.size_expected,
          group_size_actual: group.size_actual,
        });
        expect(member.group_stats.mean).toBeCloseTo(group.mean, 12);
        expect(member.group_stats.std).toBeCloseTo(group.std, 12);
      }
    }
});

it('keeps repeats as step faults and refused lines as dead letters, by file and line', async () => {
  for (const { run_id, duplicates } of expected) {
    const faults = new Map<string, number>();
    for (const { step_faults } of duplicates)
      for (const [reason, n] of Object.entries(step_faults)) faults.set(reason, (faults.get(reason) ?? 0) + n);
    const rows = await sql<{ reason: string; n: number }>(
      `SELECT reason, toUInt32(count()) AS n FROM rollstream.step_faults FINAL WHERE run_id = '${run_id}' AND reason IN ('duplicate', 'late') GROUP BY reason`,
    );
    for (const [reason, n] of faults)
      expect(rows.find((row) => row.reason === reason)?.n, `${run_id} ${reason}`).toBe(n);
  }
  for (const { message_includes } of expected.flatMap(({ refusals }) => refusals))
    expect(imported.stderr).toContain(message_includes);
  expect(imported.code).toBe(4);
});

it('balances, every attempt counted once', async () => {
  const { runs } = jsonOf<Accounting>(await rollstream('accounting', '--data', data, '--json'));
  expect(runs.map((run) => run.run_id).sort()).toEqual([...RUNS].sort());
  for (const run of runs)
    expect(run).toMatchObject({
      balanced: true,
      open: 0,
      started: expected.find(({ run_id }) => run_id === run.run_id)?.rollouts.length,
    });
});

it('changes no count when everything is imported again', async () => {
  const counts = () =>
    sql(
      `SELECT run_id, count() AS n, sum(n_tokens) AS tokens, sum(reward) AS reward FROM rollstream.decisions FINAL GROUP BY run_id ORDER BY run_id`,
    );
  const before = await counts();
  const ready = (await rollstream('ready', '--data', data, '--json')).stdout;
  const again = jsonOf<{ accounting: Accounting }>(await rollstream('import', rollouts, '--data', data, '--json'));
  expect(await counts()).toEqual(before);
  expect((await rollstream('ready', '--data', data, '--json')).stdout).toBe(ready);
  expect(again.accounting).toEqual(jsonOf<{ accounting: Accounting }>(imported).accounting);
});
