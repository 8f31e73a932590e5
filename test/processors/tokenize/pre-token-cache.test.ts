import { expect, it } from 'vitest';
import { createPreTokenCache } from '../../../processors/tokenize/pre-token-cache.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

it('gives back what was put, and forgets what was not met for two generations', () => {
  const cache = createPreTokenCache();
  const out = new Uint32Array(256);
  const take = (text: string) => {
    const bytes = bytesOf(`xx${text}`);
    const end = cache.take(bytes, 2, bytes.length, out, 0);
    return end === -1 ? null : [...out.subarray(0, end)];
  };
  const put = (text: string, ...ids: number[]) => {
    const bytes = bytesOf(text);
    cache.put(bytes, 0, bytes.length, Int32Array.from(ids), ids.length);
  };
  expect(take('often')).toBe(null);
  put('often', 7, 8);
  put('once', 9);
  for (let n = 0; n < 400_000; n++) {
    put(`word ${n}`, n, n + 1);
    if (n % 1000 === 0) expect(take('often')).toEqual([7, 8]);
  }
  expect(take('once')).toBe(null);
  expect(take('word 399999')).toEqual([399_999, 400_000]);
  expect(take('word 0')).toBe(null);
});

it('does not keep long ones', () => {
  const cache = createPreTokenCache();
  const bytes = bytesOf('a'.repeat(1000));
  cache.put(bytes, 0, bytes.length, Int32Array.of(1), 1);
  expect(cache.take(bytes, 0, bytes.length, new Uint32Array(8), 0)).toBe(-1);
});
