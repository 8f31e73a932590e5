import { expect, it } from 'vitest';
import { eachInFlight } from '../../../src/rescore/each-in-flight.ts';

interface Work {
  readonly begun: number[];
  end(item: number, error?: Error): Promise<void>;
  readonly work: (item: number) => Promise<void>;
}

/** Work that ends when it is told to. */
function toldWork(): Work {
  const begun: number[] = [];
  const ends = new Map<number, (error?: Error) => void>();
  return {
    begun,
    work: (item) =>
      new Promise((resolve, reject) => {
        begun.push(item);
        ends.set(item, (error) => (error === undefined ? resolve() : reject(error)));
      }),
    async end(item, error) {
      ends.get(item)?.(error);
      await new Promise(setImmediate);
    },
  };
}

it('begins the next only when one has ended', async () => {
  const { begun, end, work } = toldWork();
  const all = eachInFlight([0, 1, 2, 3], 2, new AbortController().signal, work);
  expect(begun).toEqual([0, 1]);
  await end(1);
  expect(begun).toEqual([0, 1, 2]);
  await end(0);
  expect(begun).toEqual([0, 1, 2, 3]);
  await Promise.all([end(2), end(3)]);
  await expect(all).resolves.toBeUndefined();
});

it('begins nothing behind a failure, and rejects with it once the others have ended', async () => {
  const { begun, end, work } = toldWork();
  let ended = '';
  const all = eachInFlight([0, 1, 2, 3], 2, new AbortController().signal, work).catch((error: Error) => {
    ended = error.message;
  });
  await end(0, new Error('no room'));
  expect(begun).toEqual([0, 1]);
  expect(ended).toBe('');
  await end(1, new Error('nor here'));
  await all;
  expect(ended).toBe('no room');
});

it('begins nothing when it was aborted, waits for what is in flight, and rejects', async () => {
  const { begun, end, work } = toldWork();
  const stop = new AbortController();
  const all = eachInFlight([0, 1, 2], 1, stop.signal, work);
  all.catch(() => undefined);
  stop.abort(new Error('cancelled'));
  await end(0);
  await expect(all).rejects.toThrow('cancelled');
  expect(begun).toEqual([0]);
});
