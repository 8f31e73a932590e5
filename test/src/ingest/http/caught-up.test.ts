import { expect, it } from 'vitest';
import { createCaughtUp } from '../../../../src/ingest/http/caught-up.ts';

/** Waits that end when they are told to. */
function waits() {
  const begun: { done(): void; fail(error: Error): void }[] = [];
  const drained = () =>
    new Promise<void>((resolve, reject) => {
      begun.push({ done: resolve, fail: reject });
    });
  return { begun, drained };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('who asks while one waits gets the next, all of them the same', async () => {
  const { begun, drained } = waits();
  const caughtUp = createCaughtUp(drained, 60_000);
  const first = caughtUp();
  const later = [caughtUp(), caughtUp(), caughtUp()];
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.done();
  expect(await first).toBe(true);
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.done();
  expect(await Promise.all(later)).toEqual([true, true, true]);
  const last = caughtUp();
  expect(begun).toHaveLength(3);
  begun[2]?.done();
  expect(await last).toBe(true);
});

it('what takes too long is answered false, and an outage is thrown; the next who asks begins anew', async () => {
  const { begun, drained } = waits();
  const caughtUp = createCaughtUp(drained, 1);
  expect(await caughtUp()).toBe(false);
  begun[0]?.done();
  await turn();
  const failed = createCaughtUp(() => Promise.reject(new Error('gone')), 60_000);
  await expect(failed()).rejects.toThrow('gone');
  await expect(failed()).rejects.toThrow('gone');
});
