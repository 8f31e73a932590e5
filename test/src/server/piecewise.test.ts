import { expect, it } from 'vitest';
import { piecewise } from '../../../src/server/piecewise.ts';

const PIECE = 2 ** 20;

/** Parts of 1 KiB, and how many of them were made. */
function counted(parts: number): { readonly made: () => number; readonly of: Iterable<Uint8Array> } {
  let made = 0;
  const part = Buffer.alloc(1024, 7);
  return {
    made: () => made,
    of: {
      *[Symbol.iterator]() {
        for (; made < parts; made += 1) yield part;
      },
    },
  };
}

it('a response that nobody reads makes two pieces, and no more once it is cut', async () => {
  const parts = counted(100_000);
  const { body } = await piecewise(parts.of, {});
  expect(parts.made()).toBeLessThanOrEqual(2 * 1024);
  const reader = body?.getReader();
  const sizes = [await reader?.read(), await reader?.read(), await reader?.read()].map((read) => read?.value?.length);
  expect(sizes).toEqual([PIECE, PIECE, PIECE]);
  expect(parts.made()).toBeLessThanOrEqual(3 * 1024);
  await reader?.cancel();
  expect(parts.made()).toBeLessThanOrEqual(3 * 1024);
});

it.each([0, 1, 1023, 1024, 1025, 3000])('%d parts arrive whole', async (count) => {
  const response = await piecewise(counted(count).of, { 'content-type': 'application/octet-stream' });
  expect((await response.arrayBuffer()).byteLength).toBe(count * 1024);
});
