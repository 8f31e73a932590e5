import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, following } from '../../conform/report/hand-made.ts';
import { cli } from '../test-io.ts';

const HEAD = {
  ...{ rollstream_conform: 1, startedAtUs: 1, seed: 0, tokenizerSha256: 'ab', model: 'm' },
  scenarios: ['honest', 'abort_partial', 'weights_change'],
};
const CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>';
const honest = call({ rawText: CALL });
const aborted = call({
  ...{ scenario: 'abort_partial', call: 4, promptIds: [1, 5], completionIds: [10, 11], rawText: 'The numb' },
  finishReason: { type: 'abort', message: 'weights' },
});
const changed = call({
  ...{ scenario: 'weights_change', call: 7, promptIds: [1, 6] },
  weightSpans: [7, 8].map((version, start) => ({ start, version: `v${version}` })),
});

/** A line of results.jsonl as strands-env 0.5 writes it: the abort was taken for an answer. */
const STRANDS = {
  task: {
    id: 'abort_partial#0_0',
    message: '[[rollstream:abort_partial#0]] Look it up.',
    context: { ground_truth: null },
  },
  result: {
    messages: [
      { role: 'user', content: [{ text: '[[rollstream:abort_partial#0]] Look it up.' }] },
      { role: 'assistant', content: [{ text: 'The numb' }] },
    ],
    rollout: {
      ...{ token_ids: [1, 5, 10, 11], loss_mask: [0, 0, 1, 1], logprobs: [null, -1, -0.5, -0.25] },
      segment_info: [
        [false, 2],
        [true, 2],
      ],
    },
    metrics: {},
    reward_result: null,
    termination_reason: 'task_complete',
  },
  aborted: false,
  prompt_id: 'abort_partial#0',
};

function event(seq: number, kind: string, body: object): string {
  const identity = { run_id: 'mine', env_name: 'e', task_id: 't', rollout_id: 'w', producer_id: 'p' };
  return JSON.stringify({
    ...identity,
    seq,
    event_id: `w-${seq}`,
    kind,
    source: { format: 'rollstream' },
    [kind]: body,
  });
}

/** The same stack as a recorder tells it: of two versions it kept one. */
const EVENTS = [
  event(0, 'start', { prompt: '[[rollstream:weights_change#0]] Look it up.' }),
  event(1, 'model_call', {
    ...{ call_id: 'c0', prompt_prefix_len: 0, prompt_delta_ids: [1, 6], completion_ids: [10, 99] },
    ...{ completion_logprobs: [-0.5, -0.25], weight_spans: [{ start: 0, version: 'v8' }], finish_reason: 'stop' },
  }),
  event(2, 'end', { reasons: [{ raw: 'task_complete', system: 'strands-env' }] }),
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-conform-'));
  const calls = [honest, following(honest, 'executed search {"query": "x"}'), aborted, changed];
  write(
    'log.jsonl',
    [HEAD, ...calls].map((line) => JSON.stringify(line)),
  );
  write(
    'honest.jsonl',
    [HEAD, ...calls.slice(0, 2)].map((line) => JSON.stringify(line)),
  );
  write('results.jsonl', [JSON.stringify(STRANDS)]);
  write('steps.jsonl', EVENTS);
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
}

const report = (...argv: string[]) => cli(['conform', 'report', ...argv], { cwd: folder });

describe('conform report', () => {
  it('tells of the prompts alone what can be told, and exits with 0 where nothing was laundered', async () => {
    const { code, stdout } = await report('log.jsonl', '--json');
    const { cases, verdicts, engine } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(engine).toEqual(HEAD);
    expect(verdicts).toEqual({ faithful: 1, laundered: 0, not_observable: 2 });
    expect(cases.map((one: { scenario: string; verdict: string }) => `${one.scenario} ${one.verdict}`)).toEqual([
      'honest faithful',
      'abort_partial not_observable',
      'weights_change not_observable',
    ]);
  });

  it("reads the stack's own output, and exits with 1 where it launders, with both sides", async () => {
    const { code, stdout } = await report('log.jsonl', '--output', join(folder, 'results.jsonl'));
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /abort_partial +0 +laundered +the answer was aborted by the engine; the record ends as completion/,
    );
    expect(stdout).toContain('engine sent (call 4): "The numb"');
    expect(stdout).toMatch(/record: ".*results\.jsonl:1: ended task_complete, which is completion"/);
    expect(stdout).toContain('\n1 faithful, 1 laundered, 1 not observable\n');
    expect(stdout).not.toContain('\x1b[');
  });

  it('writes JUnit: laundered fails, not observable is skipped', async () => {
    await report('log.jsonl', '--output', join(folder, 'results.jsonl'), '--junit', 'conform.xml', '--quiet');
    const xml = readFileSync(join(folder, 'conform.xml'), 'utf8');
    expect(xml).toMatch(/<testsuite name="rollstream conform" tests="3" failures="1" errors="0" skipped="1" *>/);
    expect(xml).toMatch(
      /<testcase classname="conform.abort_partial" name="abort_partial#0"><failure type="abort_as_complete" message="the answer was aborted/,
    );
    expect(xml).toMatch(/name="weights_change#0"><skipped message="not observable: sampled by v7 from 0, v8 from 1/);
  });

  it('exits with 1 where nothing was asked, and says so in each form', async () => {
    write('none-asked.jsonl', [JSON.stringify(HEAD)]);
    const { code, stdout } = await report('none-asked.jsonl', '--junit', 'none.xml');
    expect(code).toBe(1);
    expect(stdout).toContain('nothing was asked: the log has no call. Start the engine');
    expect(stdout).toContain('not asked: honest, abort_partial, weights_change');
    expect(readFileSync(join(folder, 'none.xml'), 'utf8')).toMatch(
      /tests="1" failures="1" .*\n<testcase classname="conform" name="tasks were asked for"><failure type="nothing_asked"/,
    );
    const json = await report('none-asked.jsonl', '--json');
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout).nothingAsked).toMatch(/^nothing was asked: /);
  });

  it('exits with 0 where some scenarios were asked for, and others were not', async () => {
    const { code, stdout } = await report('honest.jsonl');
    expect(code).toBe(0);
    expect(stdout).toContain('1 faithful, 0 laundered, 0 not observable; not asked: abort_partial, weights_change');
  });

  it('reads a run that was recorded', async () => {
    const data = join(folder, 'data');
    expect((await cli(['import', join(folder, 'steps.jsonl'), '--data', data], { cwd: folder })).code).toBe(0);
    const { code, stdout } = await report('log.jsonl', '--run', 'mine', '--data', data, '--json');
    expect(code).toBe(1);
    const found = JSON.parse(stdout).cases.at(-1);
    expect(found).toMatchObject({ scenario: 'weights_change', verdict: 'laundered', rollout: 'w' });
    expect(found.judgements[0]).toMatchObject({
      class: 'versions_flattened',
      detail: 'sampled by v7 from 0, v8 from 1; the record holds v8 from 0',
    });
    expect((await report('log.jsonl', '--run', 'none', '--data', data)).stderr).toContain('no run is named none');
  });

  it('is coloured on a terminal', async () => {
    const { stdout } = await cli(['conform', 'report', 'log.jsonl'], { cwd: folder, terminal: true });
    expect(stdout).toContain('\x1b[32mfaithful\x1b[0m');
    expect(stdout).toContain('\x1b[33mnot observable\x1b[0m');
  });

  it('refuses what it cannot use before it reads', async () => {
    expect((await report('log.jsonl', '--run', 'a', '--output', 'b')).code).toBe(2);
    expect((await report('results.jsonl')).stderr).toContain('results.jsonl:1: not a line of the log');
    expect((await report('none.jsonl')).code).toBe(2);
    expect((await report('honest.jsonl', '--output', join(folder, 'honest.jsonl'))).code).toBe(4);
  });
});
