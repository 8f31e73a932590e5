import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../../src/cli/test-io.ts';

let data = '';
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), 'rollstream-concurrency-'));
});
afterAll(() => rmSync(data, { recursive: true }));

/** An attempt of `seconds`, beside which so many were in flight at its start and its end; a reward, or a verifier that failed. */
function rollout(
  id: string,
  [atStart, atEnd]: readonly [number, number],
  seconds: number | null,
  reward: number | null,
): string {
  const base = {
    run_id: 'r1',
    env_name: 'e',
    task_id: 't',
    rollout_id: id,
    producer_id: 'p',
    source: { format: 'test' },
  };
  const rewards = reward === null ? {} : { reward };
  const duration_us = seconds === null ? null : seconds * 1_000_000;
  return [
    { kind: 'start', seq: 0, start: {}, extra_json: { producer: { in_flight: atStart } } },
    {
      kind: 'model_call',
      seq: 1,
      model_call: { call_id: 'c', prompt_delta_ids: [1], completion_ids: [2], completion_logprobs: [-0.5] },
    },
    {
      kind: 'end',
      seq: 2,
      duration_us,
      end: { reasons: [{ system: 'rollstream', raw: 'completed' }] },
      extra_json: { producer: { in_flight: atEnd } },
    },
    { kind: 'verdict', verdict: { scorer: 'v', status: reward === null ? 'crash' : 'scored', rewards } },
  ]
    .map((event, i) => `${JSON.stringify({ ...base, event_id: `${id}.${i}`, ...event })}\n`)
    .join('');
}

it('compares throughput, duration and reward by what was in flight', async () => {
  const file = join(data, 'steps.jsonl');
  writeFileSync(
    file,
    rollout('a', [1, 1], 10, 1) +
      rollout('b', [1, 1], 30, 0) +
      // The first of four that begin together: it is alone for a moment only.
      rollout('c', [1, 4], 40, 1) +
      rollout('d', [7, 2], 60, null) +
      rollout('e', [8, 8], null, 0.5) +
      rollout('f', [9, 1], 90, 0.25).replaceAll('"producer":{', '"other":{'),
  );
  expect(await cli(['import', file, '--run', 'r1', '--data', join(data, 'd')])).toMatchObject({ code: 0 });
  const named = ['query', '--named', 'best_concurrency', '--json', '--data', join(data, 'd')];
  const { code, stdout, stderr } = await cli(named);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    // One after the other, 20 s each on average: 180 an hour.
    { from_in_flight: 1, to_in_flight: 1, attempts: 2, per_hour: 180, mean_reward: 0.5, trained: 1, p90_s: 30 },
    // 5.5 at once, 50 s each: 396 an hour.
    { from_in_flight: 4, to_in_flight: 7, attempts: 2, per_hour: 396, mean_reward: 1 },
    { from_in_flight: 8, to_in_flight: 15, attempts: 1, per_hour: null, median_s: null, mean_reward: 0.5 },
  ]);
});
