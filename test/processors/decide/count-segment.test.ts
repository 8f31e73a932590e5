import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSegment } from '../../../processors/decide/count-segment.ts';
import { flatSegment } from '../../../processors/decide/segments-of.ts';
import type { Chunk, Segment } from '../../../processors/model/segment.ts';

const version = fc.constantFrom('1', '2', '3');
const spans = fc
  .uniqueArray(fc.record({ start: fc.nat(6), version }), { maxLength: 3, selector: ({ start }) => start })
  .map((of) => of.sort((a, b) => a.start - b.start));
const chunk = fc
  .record({ promptTokens: fc.nat(4), sampledTokens: fc.nat(6), cut: fc.nat(3), copied: fc.boolean(), spans })
  .map(({ promptTokens, sampledTokens, cut, copied, spans: of }): Chunk => {
    const all = promptTokens + sampledTokens;
    const bytes = Buffer.alloc(all * 4 + sampledTokens * 4);
    const tokens = Math.max(0, all - (copied ? cut : 0));
    const rest = { turn: 0, hasLogprobs: true, copied, spans: of };
    return { bytes, promptTokens, sampledTokens, tokens, ...rest };
  });

describe('counting a segment without its tokens', () => {
  it('gives what is counted when it is copied', () => {
    fc.assert(
      fc.property(fc.array(chunk), fc.boolean(), fc.uniqueArray(version), (chunks, learns, masked) => {
        const length = chunks.reduce((sum, { tokens }) => sum + tokens, 0);
        const segment: Segment = { id: 's', sourceId: 's', parentId: null, forkAt: null, chunks, length };
        const { segment: _, ...counted } = countSegment(segment, learns, new Set(masked));
        const { segment: flat, ...copied } = flatSegment(segment, learns, new Set(masked));
        expect(counted).toEqual(copied);
        expect(counted.lossTokens).toBe(flat.loss_mask.reduce((sum, bit) => sum + bit, 0));
      }),
    );
  });
});
