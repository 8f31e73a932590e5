import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ReplayReport } from '../../src/rescore/replays.ts';
import { jsonLines } from '../e2e/json-lines.ts';
import { rowsOf } from '../e2e/replay-rows.ts';
import { told } from '../e2e/told.ts';
import { type CliResult, cli, startCli } from '../src/cli/test-io.ts';
import { changesOf, expectedUnder, type Outcome, type Outcomes, ROLLOUTS, rounded } from './expected-outcomes.ts';

/**
 * What three policies make of the examples, against `expected.json` and `expected-by-policy.json`: both worked out by hand. What is
 * then asked of them stands here too, so that they are imported once.
 */

const ANNOUNCED = 'strict, with weights announced';
const CASES = [
  { name: 'default', policy: 'default' },
  { name: 'dapo', policy: 'dapo' },
  { name: 'strict', policy: 'strict' },
  { name: ANNOUNCED, policy: 'strict' },
] as const;
const CHANGED = CASES.filter((one) => one.name !== 'default');

let folder = '';
const outcomes = new Map<string, Outcomes>();
const accounts = new Map<string, number>();
/** Under the default policy. */
let imported: CliResult;
let byDefault: string[] = [];
let byStrict: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-examples-'));
  for (const [index, { name, policy }] of CASES.entries()) {
    const env = { ROLLSTREAM_POLICY_FILE: policy };
    const data = ['--data', join(folder, `${index}`)];
    if (name === ANNOUNCED) await announce(data, env);
    const ran = await cli(['import', ROLLOUTS, ...data, '--json'], { env });
    // One of their lines is torn, which is why it is not 0.
    expect(ran.code, ran.stderr).toBe(4);
    if (name === 'default') [imported, byDefault] = [ran, data];
    else if (name === 'strict') byStrict = data;
    outcomes.set(name, await outcomesIn(data));
    accounts.set(name, (await cli(['accounting', ...data])).code);
  }
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** What the trainer says of the runs that name their weights, until it is in force. */
async function announce(data: readonly string[], env: Record<string, string>): Promise<void> {
  const server = startCli(['up', '--port', '0', ...data], { env });
  const url = (await server.said(/serving at (\S+)/))[1] ?? '';
  const post = async (path: string, body: unknown) =>
    (await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })).text();
  for (const run of ['files-events', 'calculator-events', 'calculator-eval'])
    for (const step of [180, 181, 182]) await post('/v1/versions', { run, step, version: `step-${step}` });
  await post('/v1/versions', { run: 'math', step: 0, version: 'step-0' });
  const inForce = `select count() n from rollstream.steps final where kind = 'control' and run_id != ''`;
  const forwarded = () => post('/v1/query', { sql: inForce });
  await vi.waitFor(async () => expect(await forwarded()).toMatch(/"n":"?10\b/), { timeout: 60_000, interval: 100 });
  server.interrupt();
  expect(await server.code).toBe(0);
}

async function outcomesIn(data: readonly string[]): Promise<Outcomes> {
  const { stdout } = await cli([
    'query',
    `select concat(run_id, ' ', rollout_id, ' ', toString(attempt)) name, disposition, why[1] why, reward, advantage, in_loss,
    in_baseline from rollstream.decisions final`,
    ...['--format', 'jsonl', ...data],
  ]);
  const rows = stdout.split('\n').filter((line) => line !== '');
  return new Map(
    rows.map((line) => {
      const { name, ...outcome }: Outcome & { name: string } = JSON.parse(line);
      return [name, { ...outcome, advantage: rounded(outcome.advantage), reward: rounded(outcome.reward) }];
    }),
  );
}

const sorted = (of: Outcomes | undefined) => Object.fromEntries([...(of ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));

describe('the examples', () => {
  it.each(CASES)('under $name become what was worked out by hand, all of them', ({ name }) => {
    expect(sorted(outcomes.get(name))).toEqual(sorted(expectedUnder(name)));
    expect(accounts.get(name)).toBe(0);
  });

  it('have another outcome under each', () => {
    const all = CASES.map(({ name }) => JSON.stringify(sorted(outcomes.get(name))));
    expect(new Set(all).size).toBe(CASES.length);
  });

  it.each(CHANGED)('say of $name only what it changes, once for each attempt', ({ name }) => {
    const named = changesOf(name).flatMap(({ attempts }) => attempts);
    expect(new Set(named).size).toBe(named.length);
    const [before, after] = [expectedUnder('default'), expectedUnder(name)];
    expect(
      named.filter((attempt) => JSON.stringify(before.get(attempt)) === JSON.stringify(after.get(attempt))),
    ).toEqual([]);
  });
});

interface Difference {
  readonly where: string;
  readonly field: string;
  readonly a: string | null;
  readonly b: string | null;
}

/** `group.on_fault`, `codes.max_turns.unscored`, `rules[0] (gone)`, `rules[0] (new)`. */
function nameOf({ where, field, a, b }: Difference): string {
  if (where.startsWith('rules[')) return `${where} (${b === null ? 'gone' : a === null ? 'new' : 'other'})`;
  return where === '' ? field : `${where}.${field}`;
}

describe('policy diff', () => {
  it.each(CHANGED)('of default and $policy names what changed each outcome ($name)', async ({ name, policy }) => {
    const { stdout } = await cli(['policy', 'diff', 'default', policy, '--json']);
    const diff: { changes: readonly Difference[] } = JSON.parse(stdout);
    const said = new Set(diff.changes.map(nameOf));
    for (const { because, changed_by } of changesOf(name)) {
      expect(changed_by, because).not.toEqual([]);
      expect(
        changed_by.filter((change) => !said.has(change)),
        because,
      ).toEqual([]);
    }
  });
});

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

const RUNS = readdirSync(ROLLOUTS);
const expected = RUNS.map((run): Expected => JSON.parse(readFileSync(join(ROLLOUTS, run, 'expected.json'), 'utf8')));

/** Asked of the examples as the default policy decided them. */
const sql = async <Row>(text: string): Promise<Row[]> =>
  JSON.parse(await told(['query', text, ...byDefault, '--format', 'json']));

describe('an import of the examples', () => {
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
    const ready = jsonLines<{
      run_id: string;
      group_id: string;
      group_size_expected: number;
      group_size_actual: number;
      group_stats: { mean: number; std: number };
    }>(await told(['ready', ...byDefault, '--json']));
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
    const rows = await sql<{ run_id: string; reason: string; n: number }>(
      `SELECT run_id, reason, toUInt32(count()) AS n FROM rollstream.step_faults FINAL WHERE reason IN ('duplicate', 'late')
       GROUP BY run_id, reason`,
    );
    for (const { run_id, duplicates } of expected) {
      const faults = new Map<string, number>();
      for (const { step_faults } of duplicates)
        for (const [reason, n] of Object.entries(step_faults)) faults.set(reason, (faults.get(reason) ?? 0) + n);
      for (const [reason, n] of faults)
        expect(rows.find((row) => row.run_id === run_id && row.reason === reason)?.n, `${run_id} ${reason}`).toBe(n);
    }
    for (const { message_includes } of expected.flatMap(({ refusals }) => refusals))
      expect(imported.stderr).toContain(message_includes);
    expect(imported.code).toBe(4);
  });

  it('balances, every attempt counted once', async () => {
    const { runs }: Accounting = JSON.parse(await told(['accounting', ...byDefault, '--json']));
    expect(runs.map((run) => run.run_id).sort()).toEqual([...RUNS].sort());
    for (const run of runs)
      expect(run).toMatchObject({
        balanced: true,
        open: 0,
        started: expected.find(({ run_id }) => run_id === run.run_id)?.rollouts.length,
      });
  });
});

describe('a replay of the examples', () => {
  async function replay(...flags: readonly string[]): Promise<ReplayReport> {
    return JSON.parse(await told(['replay', ...flags, '--save', '--json', ...byDefault]));
  }

  it('a replay under the documents that decided then gives the live rows, row for row', async () => {
    const { status, diff } = await replay('--late', 'ignore');
    expect(diff).toMatchObject({ changed: 0, vanished: 0, appeared: 0, same: diff.attempts });
    for (const table of ['decisions', 'rewards'] as const)
      expect(await rowsOf(table, status.replay_id, byDefault)).toEqual(await rowsOf(table, '', byDefault));
  });

  it('a replay that makes audits again gives the live rows of those too', async () => {
    const { status, diff } = await replay('--late', 'ignore', '--audits');
    expect(diff).toMatchObject({ changed: 0, vanished: 0, appeared: 0 });
    for (const table of ['decisions', 'rewards', 'audits'] as const)
      expect(await rowsOf(table, status.replay_id, byDefault)).toEqual(await rowsOf(table, '', byDefault));
  });

  it.each(['store', 'log'])(
    'a replay under strict out of the %s gives the rows of a live run under strict',
    async (source) => {
      const { status } = await replay('--policy', 'strict', '--source', source, '--late', 'ignore');
      // An import has its own time, and its deadlines stand where they came to stand.
      const ofTheImport = ['offset', 'first_offset', 'decided_at'];
      const live = await rowsOf('decisions', '', byStrict, ofTheImport);
      expect(live.length).toBeGreaterThan(100);
      expect(await rowsOf('decisions', status.replay_id, byDefault, ofTheImport)).toEqual(live);
      expect(await rowsOf('rewards', status.replay_id, byDefault, ['offset'])).toEqual(
        await rowsOf('rewards', '', byStrict, ['offset']),
      );
    },
    120_000,
  );
});

it('changes no count when everything is imported again', async () => {
  const counts = () =>
    sql(
      `SELECT run_id, count() AS n, sum(n_tokens) AS tokens, arraySort(groupArray(reward)) AS rewards
       FROM rollstream.decisions FINAL GROUP BY run_id ORDER BY run_id`,
    );
  const before = await counts();
  const ready = await told(['ready', ...byDefault, '--json']);
  const again: { accounting: Accounting } = JSON.parse(await told(['import', ROLLOUTS, ...byDefault, '--json'], 4));
  expect(await counts()).toEqual(before);
  expect(await told(['ready', ...byDefault, '--json'])).toBe(ready);
  const first: { accounting: Accounting } = JSON.parse(imported.stdout);
  expect(again.accounting).toEqual(first.accounting);
});
