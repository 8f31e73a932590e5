import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkCondition } from '../../../src/rescore/check-condition.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

it.each([
  "reason_code = 'unknown'",
  "category IN ('infra', 'harness') AND has(why, 'reward_missing')",
  'reward IS NULL -- only those',
  "(run_id = 'a)b') OR (attempt > 0)",
  'rollout_id IN (SELECT rollout_id FROM rollstream.live_rewards WHERE value = 0)',
])('takes %s', async (condition) => {
  await expect(checkCondition(temporary.store, condition)).resolves.toBeUndefined();
});

it.each([
  ['', /a condition is needed/],
  ['-- nothing', /a condition is needed/],
  ['1; DROP TABLE x', /one condition/],
  ["reason_code = 'a' ORDER BY 1", /not a condition/],
  ["reason_code = 'a', reason_code = 'b'", /not a condition/],
  ['1) OR (1', /closes nothing/],
  ['(attempt > 0', /not closed/],
  ["run_id = 'a", /a string that does not end/],
  ['attempt > 0 /*', /a comment that does not end/],
  ["'text'", /not a condition/],
  ['no_such_column = 1', /not a condition/],
  ['count() > 3', /not a condition/],
  ["run_id IN (SELECT * FROM file('/etc/passwd'))", /not a condition|refused/],
  ['1 FORMAT JSON', /FORMAT|not a condition/],
  ['sleep(3)', /refused|not a condition/],
  ['1 IN (SELECT throwIf(true))', /not a condition.*non-zero/],
])('refuses %j', async (condition, why) => {
  await expect(checkCondition(temporary.store, condition)).rejects.toThrow(
    expect.objectContaining({ message: expect.stringMatching(why), facts: { field: 'where' } }),
  );
});
