import { expect, it } from 'vitest';
import { createInTurns } from '../../../src/server/in-turns.ts';

it('does one piece in each round of the event loop, whoever asks, also behind one that failed', async () => {
  const inTurns = createInTurns();
  let [round, isOver] = [0, false];
  const count = (): void => {
    round += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const failed = inTurns(() => {
    throw new Error('it failed');
  });
  const rounds = Promise.all(Array.from({ length: 20 }, () => inTurns(() => round)));
  await expect(failed).rejects.toThrow('it failed');
  expect(new Set(await rounds).size).toBe(20);
  isOver = true;
});
