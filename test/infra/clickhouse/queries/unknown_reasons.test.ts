import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../../src/cli/test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-unknown-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Lines of an attempt that ended for these reasons. */
function attempt(rollout_id: string, reasons: ReadonlyArray<readonly [system: string, raw: string]>): string {
  const base = {
    ...{ run_id: 'r1', env_name: 'e', task_id: 't', rollout_id, attempt: 0, producer_id: 'p' },
    source: { format: 'test', version: '1' },
  };
  const call = { call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1], completion_ids: [2, 3] };
  const ended = { reasons: reasons.map(([system, raw]) => ({ system, raw })) };
  return [
    { ...base, seq: 0, event_id: `${rollout_id}.0`, kind: 'start', started_at: 1_700_000_000_000_000, start: {} },
    { ...base, seq: 1, event_id: `${rollout_id}.1`, kind: 'model_call', model_call: call },
    { ...base, seq: 2, event_id: `${rollout_id}.2`, kind: 'end', end: ended },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

it('counts what the taxonomy leaves unknown, by rate, with a rollout to look at', async () => {
  const file = join(folder, 'steps.jsonl');
  const texts = [
    attempt('a', [['my-loop', 'gave up']]),
    attempt('b', [
      ['my-loop', 'gave up'],
      ['my-loop', 'gave up'],
    ]),
    attempt('c', [['swe-agent', 'submitted (exit_somehow)']]),
    attempt('d', []),
    attempt('e', [['strands-env', 'connection_error']]),
  ];
  writeFileSync(file, texts.join(''));
  const data = join(folder, 'data');
  expect(await cli(['import', file, '--run', 'r1', '--data', data])).toMatchObject({ code: 0 });
  const { code, stdout } = await cli(['query', '--named', 'unknown_reasons', '--json', '--data', data]);
  expect(code).toBe(0);
  const rows: Array<Record<string, unknown>> = JSON.parse(stdout);
  expect(rows.map(({ run_id, system, raw, attempts, rate }) => [run_id, system, raw, Number(attempts), rate])).toEqual([
    ['r1', 'my-loop', 'gave up', 2, 0.4],
    ['r1', '', '', 1, 0.2],
    ['r1', 'swe-agent', 'submitted (exit_somehow)', 1, 0.2],
  ]);
  expect(rows[2]).toMatchObject({ example: 'c' });
});
