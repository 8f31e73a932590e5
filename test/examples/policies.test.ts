import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { cli, startCli } from '../src/cli/test-io.ts';

/** What three policies make of the examples, against `expected.json` and `expected-by-policy.json`: both worked out by hand. */

const ROLLOUTS = packageFile('examples', 'rollouts');
const ANNOUNCED = 'strict, with weights announced';
const CASES = [
  { name: 'default', policy: 'default' },
  { name: 'dapo', policy: 'dapo' },
  { name: 'strict', policy: 'strict' },
  { name: ANNOUNCED, policy: 'strict' },
] as const;
const CHANGED = CASES.filter((one) => one.name !== 'default');

interface Outcome {
  readonly disposition: string;
  /** The reason that accounting counts. */
  readonly why: string;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
}
interface Change {
  readonly attempts: readonly string[];
  readonly because: string;
  readonly changed_by: readonly string[];
  /** null: it is not decided at all. */
  readonly outcome: Partial<Outcome> | null;
}
type Outcomes = ReadonlyMap<string, Outcome>;

const changes: Record<string, readonly Change[]> = JSON.parse(
  readFileSync(packageFile('examples', 'expected-by-policy.json'), 'utf8'),
);
const changesOf = (name: string): readonly Change[] => changes[name] ?? [];

let folder = '';
const outcomes = new Map<string, Outcomes>();
const accounts = new Map<string, number>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-examples-'));
  for (const [index, { name, policy }] of CASES.entries()) {
    const env = { ROLLSTREAM_POLICY_FILE: policy };
    const data = ['--data', join(folder, `${index}`)];
    if (name === ANNOUNCED) await announce(data, env);
    const paths = readdirSync(ROLLOUTS).map((run) => join(ROLLOUTS, run));
    // One of their lines is torn, which is why it is not 0.
    expect((await cli(['import', ...paths, ...data], { env })).code).toBe(4);
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
  const forwarded = async () => /"n":"?10\b/.test(await post('/v1/query', { sql: inForce }));
  while (!(await forwarded()));
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

const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(9)));

/** Of every attempt, by `run rollout attempt`: as by default, and what the policy changes. */
function expectedUnder(name: string): Outcomes {
  const expected = new Map<string, Outcome>();
  for (const run of readdirSync(ROLLOUTS)) {
    const {
      rollouts,
    }: { rollouts: readonly (Omit<Outcome, 'in_baseline'> & { rollout_id: string; attempt: number })[] } = JSON.parse(
      readFileSync(join(ROLLOUTS, run, 'expected.json'), 'utf8'),
    );
    for (const { rollout_id, attempt, disposition, why, reward, advantage, in_loss } of rollouts)
      expected.set(`${run} ${rollout_id} ${attempt}`, {
        ...{ disposition, why, reward, advantage: rounded(advantage), in_loss },
        // By default the baseline is what goes to the trainer, with a loss or without.
        in_baseline: ['train', 'train_masked', 'penalise'].includes(disposition),
      });
  }
  for (const { attempts, outcome } of changesOf(name))
    for (const attempt of attempts) {
      const before = expected.get(attempt);
      if (before === undefined) throw new Error(`no example is ${attempt}`);
      if (outcome === null) {
        expected.delete(attempt);
        continue;
      }
      const after = { ...before, ...outcome };
      expected.set(attempt, { ...after, advantage: rounded(after.advantage) });
    }
  return expected;
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
