import { expect, it } from 'vitest';
import { createFewAtOnce } from '../../../src/server/few-at-once.ts';

/** Work that ends when it is told to. */
function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    end: (name: string) => ends.get(name)?.(),
    of: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    },
  };
}

const kept = new AbortController().signal;

it('does two at once, and the others in their order', async () => {
  const [fewAtOnce, work] = [createFewAtOnce(2), createWork()];
  const all = ['a', 'b', 'c', 'd'].map((name) => fewAtOnce(kept, work.of(name)));
  expect(work.begun).toEqual(['a', 'b']);
  work.end('b');
  expect(await all[1]).toBe('b');
  expect(work.begun).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) work.end(name);
  await Promise.all([all[0], all[2]]);
  work.end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

it('leaves out who gave up, and keeps a place free for each that failed', async () => {
  const [fewAtOnce, work] = [createFewAtOnce(1), createWork()];
  const gone = new AbortController();
  const first = fewAtOnce(kept, work.of('first'));
  const left = fewAtOnce(gone.signal, work.of('left'));
  const failing = fewAtOnce(kept, () => Promise.reject(new Error('it failed')));
  const last = fewAtOnce(kept, work.of('last'));
  gone.abort();
  expect(await left).toBeNull();
  expect(await fewAtOnce(gone.signal, work.of('too late'))).toBeNull();
  work.end('first');
  expect(await first).toBe('first');
  await expect(failing).rejects.toThrow('it failed');
  work.end('last');
  expect(await last).toBe('last');
  expect(work.begun).toEqual(['first', 'last']);
});
