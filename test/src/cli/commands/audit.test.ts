import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { cli } from '../test-io.ts';

const STRANDS = packageFile('examples/rollouts/calculator-strands/results.jsonl');
const NEMO = packageFile('examples/rollouts/kv-nemo/rollouts.jsonl');
const CLEAN = packageFile('examples/rollouts/calculator-events/steps.jsonl');
const HOSTILE = '</script><img src=x onerror=alert(1)>&"\'\u0000\u001b[31m\u202e';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-audit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const jsonOf = async (...argv: string[]) => JSON.parse((await cli(['audit', ...argv, '--json'])).stdout);

describe('exit code', () => {
  it('is 0 where no limit is crossed', async () => {
    expect((await cli(['audit', CLEAN])).code).toBe(0);
  });

  it('is 1 where the gate trips, whatever was refused', async () => {
    const { code, stdout, stderr } = await cli(['audit', STRANDS]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/Gate: hold: 1 limit is crossed\n +calculator-strands: executed_repairs/),
      stderr: expect.stringContaining('results.jsonl:14: torn last line'),
    });
  });

  it('is 4 where it does not, and a line was refused', async () => {
    expect((await cli(['audit', STRANDS, '--fail-on', 'pipeline_drift>0'])).code).toBe(4);
  });

  it('is 1 above a limit of --fail-on, and not at it', async () => {
    const argv = ['audit', NEMO, '--fail-on'];
    expect((await cli([...argv, 'unknown_reason>14%'])).code).toBe(1);
    // One of its seven rollouts ends without a reason.
    expect((await cli([...argv, 'unknown_reason>15%'])).code).toBe(0);
  });

  it('is 2 for a class that nobody knows, a path that is not there, a tokenizer that is none', async () => {
    expect(await cli(['audit', CLEAN, '--fail-on', 'pipline_drift>0'])).toMatchObject({ code: 2 });
    expect(await cli(['audit', join(folder, 'nowhere.jsonl')])).toMatchObject({ code: 2 });
    expect((await cli(['audit', CLEAN, '--tokenizer', folder])).stderr).toContain('tokenizer.json');
  });

  it('goes by the gate of a policy', async () => {
    const policy = join(folder, 'policy.yaml');
    const shipped = await readFile(packageFile('processors/decide/policies/default.yaml'), 'utf8');
    await writeFile(policy, `${shipped}\ngate:\n  limits:\n    executed_repairs: off\n`);
    expect((await cli(['audit', STRANDS, '--policy', policy])).code).toBe(4);
  });
});

it('is 4 where there is no trajectory to judge, and says so', async () => {
  const empty = join(folder, 'empty.jsonl');
  await writeFile(empty, '');
  const { code, stdout } = await cli(['audit', empty]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringContaining('nothing to judge') });
});

it('a report never takes the place of the rollouts, nor of the other report', async () => {
  const file = join(folder, 'rollouts.jsonl');
  const bytes = await readFile(CLEAN, 'utf8');
  await writeFile(file, bytes);
  for (const flag of ['--junit', '--html']) expect(await cli(['audit', file, flag, file])).toMatchObject({ code: 2 });
  expect(await readFile(file, 'utf8')).toBe(bytes);
  const one = join(folder, 'one');
  expect(await cli(['audit', file, '--junit', one, '--html', one])).toMatchObject({ code: 2 });
});

describe('--json', () => {
  it('is one document of the documented shape', async () => {
    const report = await jsonOf(STRANDS);
    expect(report).toMatchObject({
      trajectories: 12,
      audits: { tools: { pass: 9, fail: 1, warn: 1, not_auditable: 1 } },
      rates: { executed_repairs: { n: 11, hits: 1, rate: 1 / 11 } },
      gate: { verdict: 'hold', tripped: [{ limit: 'executed_repairs', run_id: 'calculator-strands' }] },
      ...{ refused: 1, repeated: 1 },
    });
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        rollout_id: 'invoice-1042_4',
        class: 'silent_repair',
        severity: 'fail',
        turn: 0,
        line: 5,
      }),
    );
  });

  it('says nothing else, also where nothing was found', async () => {
    expect(await jsonOf(CLEAN)).toMatchObject({
      findings: [],
      trajectories: 8,
      gate: { verdict: 'pass', tripped: [] },
    });
  });

  it('is the same for a gzip file and for standard input', async () => {
    const packed = join(folder, 'results.jsonl.gz');
    await writeFile(packed, gzipSync(await readFile(STRANDS)));
    const { stdout } = await cli(['audit', '-', '--run', 'r', '--json'], { stdin: await readFile(STRANDS, 'utf8') });
    const counted = ({ audits, rates, gate, endings }: Record<string, unknown>) => ({ audits, rates, gate, endings });
    expect(counted(JSON.parse(stdout))).toEqual(counted(await jsonOf(packed, '--run', 'r')));
  });
});

describe('--sample', () => {
  const sampled = async (...argv: string[]) => {
    const report = await jsonOf(CLEAN, '--sample', '3', ...argv);
    return { n: report.trajectories, over: report.passed_over, endings: Object.keys(report.endings).sort() };
  };

  it('looks at so many, the same for the same seed', async () => {
    const first = await sampled('--seed', '1');
    expect(first).toMatchObject({ n: 3, over: 5 });
    expect(await sampled('--seed', '1')).toEqual(first);
  });

  it('that passes nothing over is judged as the whole', async () => {
    expect((await cli(['audit', STRANDS, '--sample', '1000'])).code).toBe(1);
  });

  it('has 95 % intervals', async () => {
    const { rates } = await jsonOf(NEMO, '--sample', '4');
    expect(rates.auditable_coverage).toMatchObject({ n: 4, hits: 4, rate: 1, high: 1 });
    expect(rates.auditable_coverage.low).toBeCloseTo(0.51, 2);
  });
});

describe('pages of hostile rollouts', () => {
  const hostile = async () => {
    const line = JSON.parse((await readFile(NEMO, 'utf8')).split('\n')[0] ?? '');
    line.agent_ref.name = HOSTILE;
    line.responses_create_params.input = HOSTILE;
    line.response.incomplete_details = { reason: HOSTILE };
    line.response.output = line.response.output.slice(0, 1);
    const file = join(folder, 'hostile.jsonl');
    await writeFile(file, `${JSON.stringify(line)}\n`);
    return file;
  };

  it('--html escapes every text and needs nothing from elsewhere', async () => {
    const page = join(folder, 'audit.html');
    await cli(['audit', await hostile(), '--html', page]);
    const text = await readFile(page, 'utf8');
    expect(text).toContain('&lt;img src=x');
    expect(text).not.toMatch(/<img|<script|<\/script>|https?:|[^\P{Cc}\n]/u);
  });

  it('--junit is XML that a parser takes, a case for each audit of a trajectory', async () => {
    const file = join(folder, 'audit.xml');
    await cli(['audit', await hostile(), '--junit', file]);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites>\n<testsuite name="rollstream audit" tests="7" /,
    );
    expect(text).toMatch(/<\/testsuite>\n<\/testsuites>\n$/);
    expect(text.match(/<testcase /g)).toHaveLength(7);
    expect(text.match(/<\/testcase>|"\/>\n/g)?.length).toBe(7);
    expect(text).not.toMatch(/<img|[^\P{Cc}\n]/u);
    expect(text).toContain('&lt;img src=x');
  });
});

it('control characters of a rollout do not reach the terminal', async () => {
  const file = join(folder, 'escape.jsonl');
  const line = JSON.parse((await readFile(NEMO, 'utf8')).split('\n')[3] ?? '');
  line.agent_ref.name = HOSTILE;
  await writeFile(file, `${JSON.stringify(line)}\n`);
  const { stdout } = await cli(['audit', file]);
  expect(stdout).toContain('\\x1b[31m');
  expect(stdout).toContain('\\u202e');
  for (const one of ['\u001b', '\u202e']) expect(stdout).not.toContain(one);
});

it('a finding names the file and the line that its attempt begins on, also where events interleave', async () => {
  const [events, after] = ['files-events/steps.jsonl', 'recipe-strands/results.jsonl'].map((name) =>
    packageFile('examples', 'rollouts', ...name.split('/')),
  );
  const { stdout } = await cli(['audit', events ?? '', after ?? '', '--json']);
  const lines = (await readFile(events ?? '', 'utf8')).split('\n');
  const begins = lines.findIndex((line) => line.includes('"release-notes_0"')) + 1;
  const [conflict] = JSON.parse(stdout).findings.filter(
    ({ class: name }: { class: string }) => name === 'termination_conflict',
  );
  expect(conflict).toMatchObject({ rollout_id: 'release-notes_0', file: events, line: begins });
});
