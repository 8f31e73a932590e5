import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditReencode } from '../../../../processors/audit/reencode/audit-reencode.ts';
import { loadTokenizer } from '../../../../src/tokenizers/load-tokenizer.ts';
import { TOKENIZER_NAMES, tokenizerFolder } from '../../../src/tokenizers/tokenizer-folder.ts';
import { type Call, inputOf } from './deep-input.ts';

// The ids are those of the cases, measured with the original tokenizers.
const [qwen3, qwen25, llama3] = await Promise.all([
  loadTokenizer(tokenizerFolder('qwen3')),
  loadTokenizer(tokenizerFolder('qwen2_5')),
  loadTokenizer(tokenizerFolder('llama3_1')),
]);
const TOKENIZERS = { qwen3, qwen2_5: qwen25, llama3_1: llama3 };

const reportOf = (tokenizer: typeof qwen3, ...calls: Call[]) => auditReencode(inputOf(calls), tokenizer);
const placesOf = (tokenizer: typeof qwen3, ...sampled: number[]) =>
  reportOf(tokenizer, { sampled }).findings.map((found) => [found.class, found.index, found.evidence?.expectedIds]);

describe('auditReencode', () => {
  it('finds another split of the same text, with both ids and the text (case 1)', () => {
    const { findings, ...rest } = reportOf(qwen3, { sampled: [39, 83722] });
    expect(rest).toEqual({ result: 'warn', missing: null, chunks: 1, drifted: 1, tokens: 2 });
    expect(findings).toMatchObject([{ class: 'bpe_split', severity: 'warn', turn: 0, index: 0 }]);
    expect(findings[0]?.evidence).toEqual({
      ids: [39, 83722],
      expectedIds: [72239, 1718],
      text: 'HAVING',
      expectedText: 'HAVING',
    });
    expect(placesOf(qwen25, 39, 83722)).toEqual([['bpe_split', 0, [72239, 1718]]]);
    expect(placesOf(llama3, 39, 84822)).toEqual([['bpe_split', 0, [73339, 1753]]]);
  });

  it('finds " Pantom" in two tokens that are no prefix of its own (case 2)', () => {
    expect(placesOf(qwen3, 53122, 316)).toEqual([['bpe_split', 0, [393, 30002]]]);
    expect(placesOf(qwen25, 53122, 316)).toEqual([['bpe_split', 0, [393, 30002]]]);
  });

  it('compares each completion by itself: lines that would merge with the template do not drift (case 6)', () => {
    expect(placesOf(qwen3, 198, 198)).toEqual([['bpe_split', 0, [271]]]);
    expect(placesOf(qwen3, 271, 198)).toEqual([['bpe_split', 0, [1406]]]);
    expect(placesOf(qwen3, 13, 271)).toEqual([['bpe_split', 0, [382]]]);
    expect(reportOf(qwen3, { prompt: [151644, 77091, 198], sampled: [198, 9707] }).result).toBe('pass');
    expect(placesOf(qwen3, 151644, 77091, 198, 198, 9707)).toEqual([['bpe_split', 2, [151644, 77091, 271, 9707]]]);
  });

  it('refuses the ids of another tokenizer, and measures nothing (case 9)', () => {
    const input = inputOf([{ sampled: [13708, 766, 29] }], qwen25.sha256);
    expect(auditReencode(input, qwen3)).toMatchObject({ result: 'not_auditable', findings: [], chunks: 0 });
    expect(auditReencode(input, qwen3).missing).toContain(qwen25.sha256);
    expect(auditReencode(input, qwen25)).toMatchObject({ result: 'pass', chunks: 1, drifted: 0 });
  });

  it('tells ordinary tokens that spell an added one (case 9)', () => {
    expect(placesOf(qwen3, 13708, 766, 29)).toEqual([['special_spelling', 0, [151667]]]);
    expect(placesOf(qwen3, 27, 14172, 9655, 29)).toEqual([['special_spelling', 0, [151665]]]);
    expect(placesOf(qwen3, 151667)).toEqual([]);
  });

  it('tells what NFC changes, where the tokenizer has it (case 10)', () => {
    expect(placesOf(qwen3, 924, 1859, 53839)).toEqual([['normalizer', 1, [924, 58858]]]);
    expect(placesOf(llama3, 936, 1897, 54939)).toEqual([]);
    const jamo = TOKENIZERS.llama3_1.encode('\u1112\u1161\u11ab');
    expect(placesOf(llama3, ...jamo)).toEqual([]);
    expect([...qwen3.encode('\u1112\u1161\u11ab')]).toEqual([23573]);
  });

  it('tells bytes that are no whole character; cut by length that is benign (case 11)', () => {
    expect(placesOf(llama3, 15722, 103)).toEqual([]);
    const cut = (finishReason: string) => reportOf(llama3, { sampled: [15722], finishReason });
    expect(cut('length').findings).toMatchObject([
      { class: 'partial_utf8', severity: 'warn', index: 0, evidence: { ids: [15722], expectedIds: [5809] } },
    ]);
    expect(cut('length').findings[0]?.detail).toContain('benign');
    expect(cut('stop').findings[0]?.detail).not.toContain('benign');
  });

  it('does not clean up blanks before punctuation (case 13)', () => {
    for (const ids of [
      [87, 976, 379],
      [1820, 3492, 364, 23191, 6],
      [1232, 364, 1874],
    ])
      expect(placesOf(llama3, ...ids)).toEqual([]);
  });

  it('skips no special token (case 14)', () => {
    expect(placesOf(qwen3, 9707, 151645, 1879)).toEqual([]);
    expect(placesOf(qwen3, 9707, 151657, 1879)).toEqual([]);
  });

  it('says so where an id has no token, before it decodes (case 21)', () => {
    const { result, missing, chunks } = reportOf(qwen3, { prompt: [1], sampled: [9707, 999999, 151936] });
    expect([result, chunks]).toEqual(['not_auditable', 0]);
    expect(missing).toBe('a tokenizer that has all the ids that call 0 sampled');
  });

  it('an empty completion does not drift; without ids nothing can be said (case 21)', () => {
    expect(reportOf(qwen3, { prompt: [1] })).toMatchObject({ result: 'pass', chunks: 0 });
    expect(auditReencode({ ...inputOf([]), segments: [] }, qwen3)).toMatchObject({
      result: 'not_auditable',
      missing: 'no token ids',
    });
  });

  it('finds pieces around a blank, and digits where a tokenizer groups them (case 25)', () => {
    expect(placesOf(qwen3, 64, 220, 65)).toEqual([['bpe_split', 1, [64, 293]]]);
    expect(placesOf(llama3, 64, 220, 65)).toEqual([['bpe_split', 1, [64, 293]]]);
    expect(placesOf(llama3, 717, 1958)).toEqual([['bpe_split', 0, [4513, 19]]]);
    expect(placesOf(qwen3, ...qwen3.encode('1234'))).toEqual([]);
  });

  it('says where in its segment, and looks at what was copied once', () => {
    const input = inputOf([
      { prompt: [1, 2], sampled: [9707] },
      { prompt: [3], sampled: [9707, 39, 83722] },
    ]);
    expect(auditReencode(input, qwen3).findings).toMatchObject([{ turn: 1, index: 5 }]);
    const [segment] = input.segments;
    const copied = segment?.ranges.map((range) => ({ ...range, copied: true })) ?? [];
    const twice = { ...input, segments: [...input.segments, ...input.segments.map((s) => ({ ...s, ranges: copied }))] };
    expect(auditReencode(twice, qwen3)).toMatchObject({ chunks: 2, drifted: 1, tokens: 4 });
  });

  it('keeps 64 findings, counts all, and shows bounded evidence', () => {
    const { findings, drifted } = reportOf(qwen3, ...Array.from({ length: 100 }, () => ({ sampled: [39, 83722] })));
    expect([findings.length, drifted]).toEqual([65, 100]);
    expect(findings[64]).toMatchObject({ class: 'more_findings' });
    const long = reportOf(qwen3, { sampled: Array.from({ length: 5000 }, () => 198) }).findings[0]?.evidence;
    expect(long?.ids?.length).toBeLessThanOrEqual(64);
    expect(long?.text?.length).toBeLessThanOrEqual(400);
  });

  describe.each(TOKENIZER_NAMES)('%s', (name) => {
    const tokenizer = TOKENIZERS[name];
    const unicode = fc.string({ unit: 'binary', maxLength: 60 });
    const words = fc.array(
      fc.constantFrom('the ', 'const x', ' = {}', '\n\n', '  ', '12345', "it's", 'é', '北京', '<think>', '🙂'),
    );
    const texts = fc.oneof(
      unicode,
      words.map((list) => list.join('')),
    );

    it('the ids of any text do not drift (case 25)', () => {
      fc.assert(
        fc.property(texts, (text) => {
          const ids = tokenizer.encode(text);
          expect(reportOf(tokenizer, { sampled: [...ids] })).toMatchObject({ result: 'pass', findings: [] });
        }),
        { numRuns: 500, seed: 11 },
      );
    });

    it('every other split of a token is found, at its place (case 25)', () => {
      const pairs = splitsOf(tokenizer);
      fc.assert(
        fc.property(texts, fc.nat(), (text, pick) => {
          const ids = [...tokenizer.encode(text)];
          const splittable = ids.flatMap((id, at) => (pairs(id) === null ? [] : [at]));
          const at = splittable[pick % Math.max(1, splittable.length)];
          if (at === undefined) return;
          const split = ids.flatMap((id, place) => (place === at ? (pairs(id) ?? []) : [id]));
          const { findings, drifted } = reportOf(tokenizer, { sampled: split });
          expect([drifted, findings[0]?.class, findings[0]?.index]).toEqual([1, 'bpe_split', at]);
        }),
        { numRuns: 500, seed: 12 },
      );
    });
  });
});

/** Two other tokens with the bytes of one; null: there are none. */
function splitsOf(tokenizer: typeof qwen3): (id: number) => number[] | null {
  const latin = (id: number) => Buffer.from(tokenizer.decode(Uint32Array.of(id), 0, 1)).toString('latin1');
  const byBytes = new Map<string, number>();
  for (let id = 0; id < tokenizer.size; id++)
    if (tokenizer.has(id) && !tokenizer.added.has(id)) byBytes.set(latin(id), id);
  return (id) => {
    if (tokenizer.added.has(id)) return null;
    const bytes = latin(id);
    for (let cut = 1; cut < bytes.length; cut++) {
      const [left, right] = [byBytes.get(bytes.slice(0, cut)), byBytes.get(bytes.slice(cut))];
      if (left !== undefined && right !== undefined) return [left, right];
    }
    return null;
  };
}
