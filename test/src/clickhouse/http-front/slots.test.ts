import { expect, test } from 'vitest';
import { createSlots } from '../../../../src/clickhouse/http-front/slots.ts';

/** A piece of work that ends when it is told to. */
function work(name: string, begun: string[]) {
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  return {
    end: (error?: Error) => end(error),
    run: async () => {
      begun.push(name);
      await ended;
      return name;
    },
  };
}

test('so many run at once; the others begin in their order as those end, also by failing', async () => {
  const begun: string[] = [];
  const slots = createSlots(2, 10);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => work(name, begun));
  const results = [a, b, c, d].map((each) => slots(each?.run ?? (async () => '')));
  expect(begun).toEqual(['a', 'b']);
  b?.end(new Error('failed'));
  await expect(results[1]).rejects.toThrow('failed');
  expect(begun).toEqual(['a', 'b', 'c']);
  a?.end();
  await results[0];
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  c?.end();
  d?.end();
  expect(await Promise.all([results[2], results[3]])).toEqual(['c', 'd']);
});

test('more than may wait are refused, and the slots come back', async () => {
  const begun: string[] = [];
  const slots = createSlots(1, 1);
  const first = work('first', begun);
  const running = slots(first.run);
  const waiting = slots(async () => 'waited');
  await expect(slots(async () => 'too many')).rejects.toMatchObject({ type: 'TOO_MANY_SIMULTANEOUS_QUERIES' });
  first.end();
  expect(await Promise.all([running, waiting])).toEqual(['first', 'waited']);
  expect(await slots(async () => 'later')).toBe('later');
});
