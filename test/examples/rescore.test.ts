import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRescore } from '../../examples/generate/rescore.ts';
import type { Accounting } from '../../src/clickhouse/accounting.ts';
import { packageFile } from '../../src/config/package-file.ts';
import type { ReplayReport, ReplayStatus } from '../../src/rescore/replays.ts';
import { endPrograms, startProgram } from '../e2e/program.ts';
import { told } from '../e2e/told.ts';
import { findPython } from '../python-with.ts';
import { cli, startCli } from '../src/cli/test-io.ts';

/** examples/rescore, as its README does it: undisturbed, and killed with -9 while it saves and while it emits. */

const FOLDER = packageFile('examples', 'rescore');
const python = await findPython();
const VERIFIERS = [
  { name: 'verifier.js', command: [process.execPath, join(FOLDER, 'verifier.js')] },
  ...(python === null ? [] : [{ name: 'verifier.py', command: [python, join(FOLDER, 'verifier.py')] }]),
];
/** So that a kill finds some pieces done and others not. */
const SMALL_CHUNKS = { ROLLSTREAM_REPLAY_CHUNK_EVENTS: '200' };
const TRAINED_BEFORE = 8;

interface Truth {
  readonly rollout_id: string;
  readonly group_id: string;
  readonly before: number;
  readonly after: number | null | 'refused';
}
const truth = readFileSync(join(FOLDER, 'expected.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Truth => JSON.parse(line));
const groupOf = (rollout: string): string => rollout.slice(0, rollout.indexOf('_'));
const isReplayed = ({ after }: Truth): boolean => after !== 'refused';
/** Another reward; the one that has none any more is not among them. */
const wrong = truth.filter(({ before, after }) => typeof after === 'number' && after !== before);

/** GRPO as its paper has it: of a group without spread 0; whoever has no reward has no advantage either. */
function advantagesOf(rewards: ReadonlyArray<number | null>): Array<number | null> {
  const known = rewards.filter((reward) => reward !== null);
  const mean = known.reduce((sum, reward) => sum + reward, 0) / known.length;
  const std = Math.sqrt(known.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (known.length - 1));
  return rewards.map((reward) => (reward === null ? null : std === 0 ? 0 : (reward - mean) / (std + 1e-6)));
}

interface Scored {
  readonly reward: number | null;
  readonly advantage: number | null;
}
function scoredBy(which: 'before' | 'after'): Map<string, Scored> {
  const scored = new Map<string, Scored>();
  for (const group of new Set(truth.map(({ group_id }) => group_id))) {
    const members = truth.filter(({ group_id }) => group_id === group);
    const rewards = members.map((one) => (one[which] === 'refused' ? one.before : one[which]));
    const advantages = advantagesOf(rewards);
    members.forEach(({ rollout_id }, at) => {
      scored.set(rollout_id, { reward: rewards[at] ?? null, advantage: advantages[at] ?? null });
    });
  }
  return scored;
}
const live = scoredBy('before');
const repaired = scoredBy('after');
const differs = (rollout: string): boolean =>
  live.get(rollout)?.reward !== repaired.get(rollout)?.reward ||
  Math.abs((live.get(rollout)?.advantage ?? 9) - (repaired.get(rollout)?.advantage ?? 9)) > 1e-9;
const changedGroups = new Set(
  truth
    .filter(isReplayed)
    .map(({ rollout_id }) => rollout_id)
    .filter(differs)
    .map(groupOf),
);

describe('the example', () => {
  it('is byte for byte what the generator writes', async () => {
    for (const [path, content] of await generateRescore())
      expect({ path, same: readFileSync(join(FOLDER, path), 'utf8') === content }).toEqual({ path, same: true });
  });

  it('has 200 wrong rewards among 328, in 76 of 82 groups', () => {
    expect([truth.length, wrong.length, new Set(truth.map(({ group_id }) => group_id)).size]).toEqual([328, 200, 82]);
    expect([wrong.filter(({ after }) => after === 1).length, changedGroups.size]).toEqual([170, 76]);
  });

  for (const { name, command } of VERIFIERS)
    it(`${name} says of each answer what is so, refuses one and dies on one`, () => {
      const inputs = inputsOf();
      const isFraction = (id: string) => inputs.get(id)?.final_response.endsWith('/0') === true;
      const [program = '', ...args] = command;
      const ask = (ids: readonly string[]) =>
        spawnSync(program, args, {
          encoding: 'utf8',
          input: ids.map((id) => `${JSON.stringify({ id, input: inputs.get(id) })}\n`).join(''),
        });
      const asked = truth.map(({ rollout_id }) => rollout_id).filter((id) => !isFraction(id));
      const [said = '', ...answers] = ask(asked).stdout.trimEnd().split('\n');
      expect(JSON.parse(said)).toEqual({ scorer: 'sums', version: '2' });
      expect(answers).toHaveLength(asked.length);
      for (const answer of answers.map((line) => JSON.parse(line))) {
        const known = truth.find(({ rollout_id }) => rollout_id === answer.id);
        if (known?.rollout_id === 'sum-80_3') expect(answer.refuse).toEqual(expect.stringContaining('sandbox'));
        else if (known?.after !== 'refused') expect(answer.rewards).toEqual({ correct: known?.after });
      }
      expect(truth.filter(({ rollout_id }) => isFraction(rollout_id)).map(({ rollout_id }) => rollout_id)).toEqual([
        'sum-81_3',
      ]);
      expect(ask(['sum-81_3']).status).not.toBe(0);
    });
});

function inputsOf(): Map<string, { readonly final_response: string; readonly task: unknown }> {
  const inputs = new Map<string, { final_response: string; task: unknown }>();
  for (const line of readFileSync(join(FOLDER, 'sums', 'steps.jsonl'), 'utf8').split('\n')) {
    if (line === '') continue;
    const event = JSON.parse(line);
    const input = inputs.get(event.rollout_id) ?? { final_response: '', task: null };
    inputs.set(event.rollout_id, input);
    if (event.kind === 'start') input.task = JSON.parse(event.start.task_metadata_json);
    if (event.kind === 'end') input.final_response = event.end.final_response;
  }
  return inputs;
}

interface Leased {
  readonly lease: string | null;
  readonly trajectories?: ReadonlyArray<Scored & { readonly rollout_id: string; readonly supersedes: string | null }>;
}
type Delivered = NonNullable<Leased['trajectories']>[number];

interface Told {
  readonly trained: readonly Delivered[];
  readonly delivered: readonly Delivered[];
  readonly dryRun: ReplayReport;
  readonly report: ReplayReport;
}

interface Serving {
  readonly url: string;
  /** Ends it; or, one that is to be killed, waits for that. */
  end(): Promise<void>;
}

/** In this process: where nothing is killed. */
async function serve(data: readonly string[]): Promise<Serving> {
  const server = startCli(['up', '--port', '0', ...data], { env: SMALL_CHUNKS });
  const [, url = ''] = await server.said(/serving at (\S+)/);
  return {
    url,
    async end() {
      server.interrupt();
      expect(await server.code).toBe(0);
    },
  };
}

/** It dies where it begins that insert. */
async function serveUntil(kill: string, data: readonly string[]): Promise<Serving> {
  const preload = pathToFileURL(join(import.meta.dirname, 'kill-at-insert.mjs')).href;
  const killing = { KILL_AT_INSERT: kill, NODE_OPTIONS: `--import ${preload}` };
  const server = startProgram(['up', '--port', '0', ...data], { ...SMALL_CHUNKS, ...killing });
  const [, url = ''] = await server.saying(/serving at (\S+)/);
  return {
    url,
    async end() {
      expect((await server.ended).signal).toBe('SIGKILL');
    },
  };
}

async function post(url: string, body: object): Promise<Leased> {
  return JSON.parse(await (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).text());
}

/** A batch of so many groups at most, trained as one step. */
async function take({ url }: Serving, index: number, count: number): Promise<readonly Delivered[]> {
  const ask = { run: 'sums', consumer: 't', batch_index: index, count, wait_ms: 2_000 };
  const { lease, trajectories = [] } = await post(`${url}/v1/leases`, ask);
  if (lease !== null) await post(`${url}/v1/leases/${lease}/ack`, { step: index + 1 });
  return trajectories;
}

async function unfinished({ url }: Serving): Promise<string> {
  const { replays }: { replays: readonly ReplayStatus[] } = JSON.parse(await (await fetch(`${url}/v1/replays`)).text());
  const open = replays.filter(({ state }) => state === 'running' || state === 'emitting');
  expect(open).toHaveLength(1);
  return open[0]?.replay_id ?? '';
}

const REPLAY = ['replay', '--run', 'sums', '--verifier', shellWords(VERIFIERS.at(-1)?.command ?? [])];

/** The README from the import to the dry run. */
async function begin(data: readonly string[]): Promise<Pick<Told, 'trained' | 'dryRun'>> {
  const server = await serve(data);
  await told(['import', join(FOLDER, 'sums', 'steps.jsonl'), ...data]);
  const trained = await take(server, 0, TRAINED_BEFORE);
  const dryRun: ReplayReport = JSON.parse(await told([...REPLAY, '--json', ...data], 4));
  await server.end();
  return { trained, dryRun };
}

/** From there to the last batch; each of `kills` ends a server where it begins that insert, and the next one goes on. */
async function goOn(data: readonly string[], kills: readonly string[]): Promise<Pick<Told, 'delivered' | 'report'>> {
  let saving = [...REPLAY, '--emit', '--label', 'sums 2'];
  let isResumed = false;
  const resuming = async (server: Serving): Promise<string[]> => {
    if (isResumed) saving = ['replay', '--resume', await unfinished(server)];
    return [...saving, '--json', ...data];
  };
  for (const kill of kills) {
    const server = await serveUntil(kill, data);
    const working = cli(await resuming(server));
    await server.end();
    expect((await working).code).not.toBe(0);
    isResumed = true;
  }
  const server = await serve(data);
  const report: ReplayReport = JSON.parse(await told(await resuming(server), 4));
  const delivered: Delivered[] = [];
  let index = 1;
  for (let batch = await take(server, index++, 100); batch.length > 0; batch = await take(server, index++, 100))
    delivered.push(...batch);
  await server.end();
  return { delivered, report };
}

/** The program splits a command as a shell does. */
function shellWords(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

const STORIES = [
  { name: 'undisturbed', kills: [] },
  // The third of these rows is of the second piece: its scores are in, and nothing says so.
  // The first of those is behind the transaction: the records are on the topic, and no row says so.
  { name: 'killed while it saves, and while it emits', kills: ['replay_chunks:3', 'replay_emitted:1'] },
];

/** Each story goes on in a copy of where they all begin. */
let folder = '';
let begun: Pick<Told, 'trained' | 'dryRun'>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-rescore-'));
  begun = await begin(['--data', join(folder, 'begun')]);
}, 240_000);
afterAll(async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(STORIES)('$name', ({ name, kills }) => {
  let data: string[] = [];
  let story: Told;
  const ask = async <T>(sql: string): Promise<T[]> => JSON.parse(await told(['query', sql, '--json', ...data]));
  beforeAll(async () => {
    data = ['--data', join(folder, name)];
    cpSync(join(folder, 'begun'), join(folder, name), { recursive: true });
    story = { ...begun, ...(await goOn(data, kills)) };
  }, 240_000);

  it('a dry run names each attempt that is decided otherwise, and what it was and would be', () => {
    const { diff, refused } = story.dryRun;
    expect(diff).toMatchObject({ attempts: 324, same: 40, changed: 284, vanished: 0, appeared: 0 });
    expect(new Set(diff.examples.map(({ rollout_id }) => rollout_id))).toEqual(
      new Set(
        truth
          .filter(isReplayed)
          .map(({ rollout_id }) => rollout_id)
          .filter(differs),
      ),
    );
    for (const { rollout_id, before, after } of diff.examples) {
      expect([rollout_id, before?.reward]).toEqual([rollout_id, live.get(rollout_id)?.reward]);
      expect([rollout_id, after?.reward]).toEqual([rollout_id, repaired.get(rollout_id)?.reward]);
    }
    const cells = diff.rewards.matrix.map(({ from, to, n }) => [from, to, n]);
    expect(cells.sort()).toEqual([
      ['0', '0', 71],
      ['0', '1', 170],
      ['0', 'null', 1],
      ['1', '0', 30],
      ['1', '1', 52],
    ]);
    expect(diff.rewards).toMatchObject({ both: 323, sum_before: 82, sum_after: 222, changed: wrong.length + 1 });
    expect(diff.advantages.groups_moved).toBe(61);
    // By name; the three others of its group stay as they were, too.
    expect(refused).toMatchObject([{ reason: 'verifier_refused', n: 1, rollouts: ['sum-80_3'] }]);
  });

  it('what is saved is what the dry run said', () => {
    expect(story.report.diff).toEqual(story.dryRun.diff);
    expect(story.report.refused).toEqual(story.dryRun.refused);
  });

  it('the trainer gets each corrected group once, whole, and no old version of it', () => {
    const before = story.trained.map(({ rollout_id }) => rollout_id);
    expect(new Set(before.map(groupOf)).size).toBe(TRAINED_BEFORE);
    const after = story.delivered.map(({ rollout_id }) => rollout_id);
    const [gone, all] = [new Set(before), new Set(truth.map(({ rollout_id }) => rollout_id))];
    // The one that has no score any more is no member of its group.
    const rest = [...all].filter((id) => !gone.has(id) && id !== 'sum-81_3');
    expect(after).toHaveLength(295);
    expect([...after].sort()).toEqual(rest.sort());
    for (const { rollout_id, reward, advantage, supersedes } of story.delivered) {
      const isNew = changedGroups.has(groupOf(rollout_id));
      const known = (isNew ? repaired : live).get(rollout_id);
      expect([rollout_id, reward]).toEqual([rollout_id, known?.reward]);
      expect(advantage).toBeCloseTo(known?.advantage ?? Number.NaN, 9);
      if (differs(rollout_id)) expect([rollout_id, supersedes]).toEqual([rollout_id, expect.any(String)]);
    }
  });

  it('what was trained before is left out, and told', () => {
    const trainedGroups = new Set(story.trained.map(({ rollout_id }) => groupOf(rollout_id)));
    expect([...trainedGroups].filter((group) => changedGroups.has(group))).toHaveLength(7);
    // Of 81 groups; four of those that did not change were not trained.
    expect(story.report.emitted).toMatchObject({
      ...{ units: 81 - TRAINED_BEFORE - 4, trajectories: 275 },
      left_out: { already_trained: TRAINED_BEFORE, unchanged: 4 },
    });
  });

  it('SQL shows both versions, and who was scored by which', async () => {
    type Row = { rollout_id: string; old: number | null; new: number | null; is_replayed: boolean | number };
    const rows =
      await ask<Row>(`SELECT l.rollout_id AS rollout_id, l.reward AS old, n.reward AS new, n.version_id != '' AS is_replayed
      FROM rollstream.live_decisions AS l INNER JOIN rollstream.latest_decisions AS n
      ON n.run_id = l.run_id AND n.unit = l.unit AND n.rollout_id = l.rollout_id AND n.attempt = l.attempt`);
    expect(rows).toHaveLength(328);
    expect(rows.filter((row) => row.new !== null && row.old !== row.new)).toHaveLength(200);
    for (const row of rows) {
      const known = truth.find(({ rollout_id }) => rollout_id === row.rollout_id);
      const after = known?.after === 'refused' ? known.before : known?.after;
      expect({ ...row, is_replayed: Boolean(row.is_replayed) }).toEqual({
        ...{ rollout_id: row.rollout_id, old: known?.before, new: after, is_replayed: known?.after !== 'refused' },
      });
    }
    const versions = await ask(`SELECT scorer_version, toUInt32(count()) AS n FROM rollstream.latest_rewards
      WHERE scorer = 'sums' GROUP BY scorer_version ORDER BY scorer_version`);
    expect(versions).toEqual([
      { scorer_version: '1', n: 4 },
      { scorer_version: '2', n: 324 },
    ]);
  });

  it('the rollout that the verifier dies on is quarantined, and never 0', async () => {
    const rows = await ask(`SELECT disposition, verifier_status, reward FROM rollstream.latest_decisions
      WHERE rollout_id = 'sum-81_3'`);
    expect(rows).toEqual([{ disposition: 'quarantine', verifier_status: 'crash', reward: null }]);
  });

  it('the books balance', async () => {
    const { runs }: Accounting = JSON.parse(await told(['accounting', '--json', ...data]));
    expect(runs).toMatchObject([
      {
        ...{ run_id: 'sums', started: 328, ready: 328, re_emitted: 275, balanced: true },
        ready_states: { trained: 327, replaced: 276, queued: 0 },
      },
    ]);
  });
});
