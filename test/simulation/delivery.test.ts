import { expect, test } from 'vitest';
import { World } from './delivery/world.ts';

/** By hand: DELIVERY_SEEDS=5000 DELIVERY_FIRST=1000 npx vitest run test/simulation/delivery.test.ts --testTimeout 3600000 */
const SEEDS = Number(process.env.DELIVERY_SEEDS ?? 100);
const FIRST = Number(process.env.DELIVERY_FIRST ?? 0);

test('what is delivered is trained once in the surviving history, in ready order, whoever crashes', () => {
  const broken: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    try {
      new World(String(seed), true, seed % 2 === 1).play();
    } catch (error) {
      broken.push(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    }
  expect(broken).toEqual([]);
});
