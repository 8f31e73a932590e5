import { describe, expect, test } from 'vitest';
import { catchNaive } from './delivery/catch-naive.ts';
import { NAIVE } from './delivery/naive.ts';

const WITHIN = Number(process.env.DELIVERY_SEEDS ?? 20);
const only = process.env.DELIVERY_NAIVE;

describe('the model test of delivery catches the naive version:', () => {
  test.each(Object.keys(NAIVE).filter((n) => only === undefined || n === only))('%s', (name) => {
    const seen: string[] = [];
    const start = Date.now();
    let i = 0;
    for (; i < WITHIN && seen.length < 4; i++) {
      const broken = catchNaive(name, i);
      if (broken !== null) seen.push(`${i}: ${broken.slice(0, 100)}`);
    }
    console.log(name, '|', i, Date.now() - start, 'ms |', seen.join(' | '));
    expect(seen.length).toBeGreaterThan(0);
  });
});
