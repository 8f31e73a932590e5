import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../../src/cli/test-io.ts';

let data = '';
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'rollstream-layers-'));
});
afterAll(() => rmSync(data, { recursive: true }));

type Event = Readonly<Record<string, unknown>>;
const S = 1_000_000;

/** An attempt of `wall` seconds; its end tells what its producer says of itself. */
function rollout(
  rollout_id: string,
  actor: string | null,
  wall: number,
  events: readonly Event[],
  told: Event,
): string {
  const base = { run_id: 'r1', env_name: 'e', task_id: 't', rollout_id, producer_id: 'p', source: { format: 'test' } };
  const all: readonly Event[] = [
    { kind: 'start', start: {}, extra_json: { producer: { actor, in_flight: 1 } } },
    ...events,
    {
      kind: 'end',
      duration_us: wall * S,
      end: { reasons: [{ system: 'rollstream', raw: 'completed' }] },
      extra_json: { producer: { actor, in_flight: 2, sandbox_us: null, loop_lag_ms: null, ...told } },
    },
  ];
  return all
    .map((event, seq) => `${JSON.stringify({ ...base, seq, event_id: `${rollout_id}.${seq}`, ...event })}\n`)
    .join('');
}
const model = (s: number | null): Event => ({
  kind: 'model_call',
  duration_us: s === null ? null : s * S,
  model_call: { call_id: 'c', prompt_prefix_len: 0 },
});
const phase = (name: string, s: number): Event => ({ kind: 'phase', duration_us: s * S, phase: { phase: name } });
const tool = (wait_us: number, exec_us: number): Event => ({
  kind: 'tool_result',
  tool_result: { call_id: 'a', wait_us, exec_us },
});

it('says which layer the rollouts of a worker wait for', async () => {
  const file = join(data, 'steps.jsonl');
  writeFileSync(
    file,
    rollout('a', 'w0', 100, [phase('sandbox_setup', 20), model(30), tool(5 * S, 5 * S), phase('rate_limit', 10)], {
      sandbox_us: 90 * S,
      loop_lag_ms: { mean: 10, max: 900, n: 300 },
    }) +
      rollout('b', 'w0', 100, [model(50)], { in_flight: 7, loop_lag_ms: { mean: 20, max: 40, n: 100 } }) +
      // Nothing of it was measured, and no event loop ran.
      rollout('c', 'w1', 10, [model(null)], {}) +
      // The loop is late half of the time.
      rollout('d', 'w2', 100, [model(40)], { loop_lag_ms: { mean: 500, max: 5000, n: 100 } }) +
      // Its producer said nothing of itself.
      rollout('e', 'w3', 100, [model(40)], {}).replaceAll('"producer":', '"other":'),
  );
  expect(await cli(['import', file, '--run', 'r1', '--data', join(data, 'd')])).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await cli([
    'query',
    '--named',
    'blocking_layers',
    '--json',
    '--data',
    join(data, 'd'),
  ]);
  expect(code, stderr).toBe(0);
  const rows: Array<Record<string, unknown>> = JSON.parse(stdout);
  expect(rows.map(({ actor, blocks, attempts }) => [actor, blocks, attempts])).toEqual([
    ['w0', 'model', 2],
    ['w1', '', 1],
    ['w2', 'loop', 1],
  ]);
  expect(rows[0]).toMatchObject({
    ...{ mean_wall_s: 100, model_share: 0.4, tools_share: 0.05, sandbox_share: 0.1, rate_limit_share: 0.05 },
    // 10 ms × 300 and 20 ms × 100 are 5 s of 200 s, over 400 samples.
    ...{ loop_share: 0.025, loop_lag_ms: 12.5, worst_loop_lag_ms: 900, sandbox_s: 90, in_flight: 7 },
  });
  expect(rows[0]?.other_share).toBeCloseTo(0.4, 9);
  expect(rows[1]).toMatchObject({
    model_share: null,
    tools_share: 0,
    loop_share: null,
    loop_lag_ms: null,
    sandbox_s: null,
  });
});
