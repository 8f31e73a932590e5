import { expect, it } from 'vitest';
import { createTakeTurns } from '../../../src/server/take-turns.ts';

const kept = new AbortController().signal;

/** Work that ends when `end` is called. */
function held() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end: () => end() };
}

it('never begins the work of a client that left while it waited, and its place in the line is free', async () => {
  const takeTurns = createTakeTurns({ atOnce: 1, waiting: 1, what: 'queries' });
  const [first, gone, begun] = [held(), new AbortController(), [] as string[]];
  const running = takeTurns(kept, first.work);
  const left = takeTurns(gone.signal, async () => begun.push('left'));
  gone.abort();
  await expect(left).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
  const next = takeTurns(kept, async () => begun.push('next'));
  first.end();
  await Promise.all([running, next]);
  expect(begun).toEqual(['next']);
});

it('sends away at once who finds the line full, to try again; and takes whoever comes when there is room, also after failures', async () => {
  const takeTurns = createTakeTurns({ atOnce: 1, waiting: 1, what: 'queries' });
  const first = held();
  const running = takeTurns(kept, first.work);
  const failing = takeTurns(kept, () => Promise.reject(new Error('it failed')));
  await expect(takeTurns(kept, async () => 3)).rejects.toMatchObject({
    code: 'RS_BUSY',
    message: '1 queries wait already: try again',
    retriable: true,
  });
  first.end();
  await running;
  await expect(failing).rejects.toThrow('it failed');
  expect(await takeTurns(kept, async () => null)).toBe(null);
});

it('keeps the turn of a client that left while its work was done, until the work ends', async () => {
  const takeTurns = createTakeTurns({ atOnce: 1, waiting: 1, what: 'queries' });
  const [first, gone, begun] = [held(), new AbortController(), [] as string[]];
  const running = takeTurns(gone.signal, first.work);
  gone.abort();
  const next = takeTurns(kept, async () => begun.push('next'));
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  first.end();
  await Promise.all([running, next]);
  expect(begun).toEqual(['next']);
});
