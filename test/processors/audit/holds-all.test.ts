import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdsAll } from '../../../processors/audit/holds-all.ts';
import type { Chunk, Segment } from '../../../processors/model/segment.ts';

const ids = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 });

function chunk(prompt: readonly number[], sampled: readonly number[], cutBy = 0): Chunk {
  const all = [...prompt, ...sampled];
  return {
    ...{ turn: 0, bytes: Buffer.from(Uint32Array.from([...all, 9]).buffer), promptTokens: prompt.length },
    ...{ sampledTokens: sampled.length, tokens: Math.max(0, all.length - cutBy) },
    ...{ hasLogprobs: true, copied: false, spans: [] },
  };
}

it('a prompt holds all that was held if and only if its ids begin with those', () => {
  const parts = fc.array(fc.tuple(ids, ids, fc.nat({ max: 2 })), { maxLength: 4 });
  fc.assert(
    fc.property(parts, fc.nat(), ids, fc.boolean(), (given, place, other, isOwn) => {
      const chunks = given.map(([prompt, sampled, cutBy]) => chunk(prompt, sampled, cutBy));
      const held = given.flatMap(([prompt, sampled], i) => [...prompt, ...sampled].slice(0, chunks[i]?.tokens));
      const from = place % (held.length + 1);
      const prompt = isOwn ? [...held.slice(from), ...other] : other;
      const segment: Segment = {
        ...{ id: 'main', sourceId: 'main', parentId: null, forkAt: null },
        ...{ chunks, length: held.length },
      };
      const expected = held.slice(from).every((id, i) => prompt[i] === id);
      expect(holdsAll(chunk(prompt, [7]), segment, from)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
