import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../../src/cli/test-io.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-lifetime-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const S = 1_000_000;
const T0 = 1_700_000_000 * S;
const at = (from: number, to: number) => ({ started_at: T0 + from * S, ended_at: T0 + to * S });
const instant = (s: number) => ({ started_at: T0 + s * S });

/** Events of a rollout, in seconds after its start. */
function rollout(rollout_id: string, events: ReadonlyArray<Record<string, unknown>>): string {
  const base = {
    ...{ run_id: 'r1', env_name: 'e', task_id: 't', rollout_id, attempt: 0, producer_id: 'p' },
    source: { format: 'test', version: '1' },
  };
  return events
    .map((event, i) => `${JSON.stringify({ ...base, event_id: `${rollout_id}.${i}`, ...event })}\n`)
    .join('');
}
const call = { call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1], completion_ids: [2, 3] };
const end = { reasons: [{ system: 'strands-env', raw: 'task_complete' }] };
const verdict = { scorer: 'v', scorer_version: '1', status: 'scored', rewards: { reward: 1 } };

it('ends a rollout at its end, and its lifetime with what came later: verifiers beside each other once (case 82)', async () => {
  const timed = rollout('timed', [
    { kind: 'start', seq: 0, ...instant(0), start: {} },
    { kind: 'model_call', seq: 1, ...at(10, 90), model_call: call },
    { kind: 'phase', ...at(100, 104), phase: { phase: 'verify' } },
    { kind: 'phase', ...at(102, 107), phase: { phase: 'verify' } },
    { kind: 'phase', ...at(100, 3600), phase: { phase: 'cleanup' } },
    { kind: 'end', seq: 2, ...instant(100), end },
    { kind: 'verdict', verdict },
  ]);
  const untimed = rollout('untimed', [
    { kind: 'start', seq: 0, start: {} },
    { kind: 'model_call', seq: 1, model_call: call },
    { kind: 'end', seq: 2, end },
    { kind: 'verdict', verdict },
  ]);
  const file = join(folder, 'steps.jsonl');
  writeFileSync(file, timed + untimed);
  const data = join(folder, 'data');
  expect(await cli(['import', file, '--run', 'r1', '--data', data])).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await cli(['query', '--named', 'lifetime_wall', '--json', '--data', data]);
  expect(code, stderr).toBe(0);
  const rows: Array<Record<string, unknown>> = JSON.parse(stdout);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    ...{ rollout_id: 'timed', rollout_ms: 100_000, verify_ms: 7000, cleanup_ms: 3_500_000 },
    ...{ held_ms: null, trainer_wait_ms: null },
  });
  expect(rows[0]?.decided_after_ms).toBeGreaterThan(0);
  expect(rows[1]).toMatchObject({
    ...{
      rollout_id: 'untimed',
      rollout_ms: null,
      parts: {},
      verify_ms: null,
      cleanup_ms: null,
      decided_after_ms: null,
    },
  });
});
