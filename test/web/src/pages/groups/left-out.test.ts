import { expect, it } from 'vitest';
import { leftOut } from '../../../../../web/src/pages/groups/left-out.ts';

const member = (disposition: string, why: string[], ...[in_loss, in_baseline, counts_for_size]: boolean[]) => ({
  ...{ disposition, why, in_loss, in_baseline, counts_for_size },
});

it('a member that counts for all three is not left out', () => {
  expect(leftOut(member('train', ['task_complete'], true, true, true))).toBe('');
});

it('each other one says what became of it, and why', () => {
  expect(leftOut(member('retry', ['retry:env_crash'], false, false, false))).toBe('to be run again: retry:env_crash');
  expect(leftOut(member('train_masked', ['wall_clock'], false, true, true))).toBe('no token of it trains: wall_clock');
  expect(leftOut(member('quarantine', ['verifier_timeout', 'task_complete'], false, false, false))).toBe(
    'kept back: verifier_timeout, task_complete',
  );
  expect(leftOut(member('penalise', ['stuck_loop'], true, false, true))).toBe(
    'trains, but its reward is not in the baseline: stuck_loop',
  );
});
