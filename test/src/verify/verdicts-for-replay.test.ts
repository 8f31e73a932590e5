import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../../../src/access/access.ts';
import { openAccess } from '../../../src/access/open-access.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { readyMadeVerifier } from '../../../src/verify/ready-made-verifiers.ts';
import {
  type VerdictBatch,
  type VerdictSource,
  type VerdictsAsked,
  verdictsFor,
} from '../../../src/verify/verdicts-for-replay.ts';
import { noCache } from '../../../src/verify/verifier-cache.ts';
import { cli } from '../cli/test-io.ts';
import { writeUnjudged } from './unjudged-lines.ts';

let folder = '';
let access: Access;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-verdicts-'));
  const data = join(folder, 'data');
  const right = { response: '42', answer: '42' };
  const file = writeUnjudged(join(folder, 'decided.jsonl'), [
    { run: 'a', rollout: 'one', ...right },
    { run: 'a', rollout: 'two', response: '41', answer: '42' },
    { run: 'a', rollout: 'both', ...right },
    { run: 'b', rollout: 'both', ...right },
    { run: 'b', rollout: 'lost', response: null, answer: '42' },
  ]);
  // Decided, as what the file leaves without a verdict is closed behind it.
  const { code, stderr } = await cli(['import', file, '--data', data]);
  expect(code, stderr).toBe(0);
  const config = loadConfig({ flags: { data }, env: {}, cwd: folder });
  access = await openAccess({ config, log: pino({ level: 'silent' }), io: { now: Date.now } });
});
afterAll(async () => {
  await access.close();
  rmSync(folder, { recursive: true });
});

const all = { runs: [], from: null, to: null, where: null };

async function verdicts(source: VerdictSource, scope: VerdictsAsked['scope'] = all) {
  const batches: VerdictBatch[] = [];
  const counts = await verdictsFor({
    ...{ access, scope, source, signal: new AbortController().signal, onProgress: () => {} },
    give: async (batch) => void batches.push(batch),
  });
  const given = batches.flatMap((batch) => batch.verdicts);
  const named = given.map(({ run_id, rollout_id, verdict }) => [run_id, rollout_id, verdict.rewards.reward]);
  return { counts, given, named: named.toSorted(), refused: batches.flatMap((batch) => batch.refused) };
}

const exact = (): VerdictSource => ({
  ...{ kind: 'verifier', verifier: readyMadeVerifier('exact'), cache: noCache, concurrency: 2 },
});

function file(...lines: readonly object[]): VerdictSource {
  return textFile(lines.map((line) => JSON.stringify(line)));
}

function textFile(lines: readonly string[]): VerdictSource {
  async function* read() {
    yield* lines;
  }
  return { kind: 'file', name: 'v.jsonl', lines: read() };
}

describe('by a verifier', () => {
  it('each decided attempt of the scope has one; what cannot be judged is named', async () => {
    const { counts, named, refused, given } = await verdicts(exact());
    expect(named).toEqual([
      ['a', 'both', 1],
      ['a', 'one', 1],
      ['a', 'two', 0],
      ['b', 'both', 1],
    ]);
    expect(refused).toEqual([
      {
        ...{ run_id: 'b', epoch: 0, unit: 'b/0/r/lost', rollout_id: 'lost', attempt: 0 },
        ...{ scorer: 'exact', scorer_version: '1', why: 'call_without_text' },
      },
    ]);
    expect(counts).toMatchObject({ done: 5, byStatus: { scored: 4, refused: 1 } });
    expect(given.find(({ rollout_id }) => rollout_id === 'two')).toEqual({
      ...{ run_id: 'a', epoch: 0, unit: 'a/0/r/two', rollout_id: 'two', attempt: 0 },
      verdict: {
        ...{ scorer: 'exact', scorer_version: '1', status: 'scored', rewards: { reward: 0 } },
        ...{ bound_to: null, report_json: null },
      },
    });
  });

  it('runs, a condition and a stretch bound it', async () => {
    expect((await verdicts(exact(), { ...all, runs: ['b'] })).named).toEqual([['b', 'both', 1]]);
    const where = "rollout_id = 'one' OR rollout_id = 'two' -- the first two";
    expect((await verdicts(exact(), { ...all, runs: ['a', 'b'], where })).named).toEqual([
      ['a', 'one', 1],
      ['a', 'two', 0],
    ]);
    const rows: { partition: number; offset: number }[] = (
      await access.query("SELECT partition, offset FROM rollstream.live_attempts WHERE rollout_id = 'two'", 'jsonl', {})
    )
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [{ partition, offset } = { partition: -1, offset: -1 }] = rows;
    const at = (n: number) => ({ kind: 'offset' as const, partition, offset: n });
    const only = { ...all, where: "rollout_id = 'two'" };
    expect((await verdicts(exact(), { ...only, from: at(offset), to: at(offset + 1) })).named).toHaveLength(1);
    expect((await verdicts(exact(), { ...only, from: at(offset + 1) })).named).toHaveLength(0);
    expect((await verdicts(exact(), { ...only, to: at(offset) })).named).toHaveLength(0);
    const time = { kind: 'time' as const, atMs: Date.now() + 3_600_000 };
    expect((await verdicts(exact(), { ...all, to: time })).named).toHaveLength(4);
    expect((await verdicts(exact(), { ...all, from: time })).named).toHaveLength(0);
  });

  it('what is no condition is refused', async () => {
    for (const where of ['1) OR (1', "rollout_id = 'one'; SELECT 1", 'no_such_column = 1', ''])
      await expect(verdicts(exact(), { ...all, where }), where).rejects.toThrow(/where/);
  });
});

describe('by a file', () => {
  const base = { scorer: 'people', scorer_version: '3' };

  it('each line is a verdict about the attempt that it names', async () => {
    const { given, counts } = await verdicts(
      file(
        { ...base, rollout_id: 'one', reward: 0.5, report: 'half' },
        { ...base, rollout_id: 'both', run_id: 'b', attempt: 0, rewards: { a: 1, b: null }, bound_to: 0 },
        { ...base, rollout_id: 'two', status: 'not_run' },
      ),
    );
    const person = { scorer: 'people', scorer_version: '3' };
    expect(given.map(({ run_id, rollout_id, verdict }) => ({ run_id, rollout_id, ...verdict }))).toEqual([
      {
        ...{ run_id: 'a', rollout_id: 'one', ...person, status: 'scored', rewards: { reward: 0.5 } },
        ...{ bound_to: null, report_json: '{"report":"half"}' },
      },
      {
        ...{ run_id: 'b', rollout_id: 'both', ...person, status: 'scored', rewards: { a: 1, b: null } },
        ...{ bound_to: 0, report_json: null },
      },
      {
        ...{ run_id: 'a', rollout_id: 'two', ...person, status: 'not_run', rewards: {} },
        ...{ bound_to: null, report_json: null },
      },
    ]);
    expect(counts).toMatchObject({ done: 3, byStatus: { scored: 2, not_run: 1 } });
  });

  const one = { ...base, rollout_id: 'one' };
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '{"reward": NaN}', /v\.jsonl:1: a JSON object is needed; NaN/],
    ['an array', '[]', /v\.jsonl:1: a JSON object/],
    ['a field that nobody knows', JSON.stringify({ ...one, rewrad: 1 }), /rewrad: not known/],
    ['a reward that is text', JSON.stringify({ ...one, reward: '1' }), /reward: a finite number/],
    ['a named reward that is none', JSON.stringify({ ...one, rewards: { a: [] } }), /rewards\.a: a finite number/],
    ['no reward', JSON.stringify(one), /reward: needed/],
    ['a status that nobody knows', JSON.stringify({ ...one, status: 'good' }), /status: a status/],
    [
      'a reward of a time-out',
      JSON.stringify({ ...one, status: 'timeout', reward: 0 }),
      /status: timeout has no reward/,
    ],
    ['no scorer', JSON.stringify({ ...one, scorer: undefined, reward: 1 }), /scorer: text is needed/],
    ['an attempt that is no number', JSON.stringify({ ...one, attempt: '0', reward: 1 }), /attempt: a whole number/],
    ['an unknown rollout', JSON.stringify({ ...base, rollout_id: 'nobody', reward: 1 }), /no rollout is named nobody/],
    [
      'an unknown attempt',
      JSON.stringify({ ...one, attempt: 4, reward: 1 }),
      /attempt: rollout one has the attempts 0/,
    ],
    ['another run', JSON.stringify({ ...one, run_id: 'b', reward: 1 }), /run_id: rollout one is in a$/],
    ['an id of two runs', JSON.stringify({ ...base, rollout_id: 'both', reward: 1 }), /run_id: needed, .* is in a, b/],
    ['another epoch', JSON.stringify({ ...one, epoch: 2, reward: 1 }), /epoch: rollout one is in epoch 0/],
  ];
  for (const [name, line, message] of cases) {
    it(`${name} is refused by file, line and field`, async () => {
      await expect(verdicts(textFile([line]))).rejects.toMatchObject({ code: 'RS_INPUT_REFUSED' });
      await expect(verdicts(textFile(['', line]))).rejects.toThrow(/v\.jsonl:2: /);
      await expect(verdicts(textFile([line]))).rejects.toThrow(message);
    });
  }

  it('two verdicts of one scorer about the same are refused, and all problems are told', async () => {
    const twice = file({ ...one, reward: 1 }, { ...one, bound_to: 0, reward: 0 }, { ...one, reward: 0, attempt: 0 });
    await expect(verdicts(twice)).rejects.toThrow(/^v\.jsonl:3: rollout_id: line 1 has a verdict of people/);
    const error: unknown = await verdicts(
      file({ ...one, reward: 1 }, { ...one, reward: 0 }, { ...base, rollout_id: 'nobody', reward: 1 }, {}),
    ).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/v\.jsonl:2: .*line 1[^\n]*\nv\.jsonl:3: .*nobody\nv\.jsonl:4: /);
  });

  it('runs bound what is looked up', async () => {
    const { named } = await verdicts(file({ ...base, rollout_id: 'both', reward: 1 }), { ...all, runs: ['b'] });
    expect(named).toEqual([['b', 'both', 1]]);
  });
});
