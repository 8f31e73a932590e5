import { expect, test } from 'vitest';
import { createTokenPrefixes } from '../../../src/ingest/token-prefixes.ts';
import { idsOf } from './importers/imported.ts';

const pack = (...ids: number[]): Buffer => Buffer.from(Uint32Array.from(ids).buffer);

test.each([
  ['goes on from all that is held', [1, 2, 3, 4, 9], 4, [9]],
  ['rewrites what was sampled', [1, 2, 3, 7], 3, [7]],
  ['rewrites the prompt: what was sampled on it is not shared', [1, 5, 3, 4], 1, [5, 3, 4]],
  ['is shorter than what is held', [1], 1, []],
])('a prompt that %s', (_, prompt, prefix, delta) => {
  const prefixOf = createTokenPrefixes();
  expect(prefixOf(pack(1, 2), pack(3, 4)).prompt_prefix_len).toBe(0);
  const next = prefixOf(pack(...prompt), pack(8));
  expect(next.prompt_prefix_len).toBe(prefix);
  expect(idsOf(next.prompt_delta_ids)).toEqual(delta);
});
