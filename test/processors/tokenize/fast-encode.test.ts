import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Tokenizer as Library, nfcNormalizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { CHAR_CLASSES } from '../../../processors/tokenize/char-classes.ts';
import { createFastEncode, type FastEncode } from '../../../processors/tokenize/fast-encode.ts';
import { readKnownPipeline } from '../../../processors/tokenize/known-pipeline.ts';
import { TOKENIZER_NAMES, tokenizerFolder } from '../../src/tokenizers/tokenizer-folder.ts';

type Json = Record<string, unknown>;

const jsonOf = (name: (typeof TOKENIZER_NAMES)[number]): Json =>
  JSON.parse(readFileSync(join(tokenizerFolder(name), 'tokenizer.json'), 'utf8'));

function fastOf(json: Json): FastEncode {
  const reading = readKnownPipeline(json);
  if ('whyNot' in reading) throw new Error(reading.whyNot);
  const normalizer = nfcNormalizer();
  return createFastEncode(reading.known, (text) => normalizer.normalizeString(text));
}

/** As GPT-2 splits, with a normalized added token beside the raw ones. */
function likeGpt2(): Json {
  const json = jsonOf('qwen2_5');
  const added = Array.isArray(json.added_tokens) ? json.added_tokens : [];
  const last = {
    id: 151_665,
    content: '<é>',
    special: false,
    normalized: true,
    lstrip: false,
    rstrip: false,
    single_word: false,
  };
  return {
    ...json,
    added_tokens: [...added, last],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  };
}

const SUBJECTS: ReadonlyArray<readonly [string, () => Json]> = [
  ...TOKENIZER_NAMES.map((name) => [name, () => jsonOf(name)] as const),
  ['a GPT-2 split', likeGpt2],
];

/** Pieces that meet at the edges of rules: blanks, lines, contractions, digits, marks, jamo, halves of pairs, added tokens. */
const PIECES = [
  ...[' ', '  ', '\n', '\r\n', '\r', '\t', '\u00a0', '\u3000', '\u0085', '\u2028', '\ufeff', '\u200b', '\u200d', '\0'],
  ...["'", "'s", "'S", "'ſ", "'re", "'LL", "'lL", "'d", '’s', 'ſ', 'K', '1', '22', '٣', '½', 'Ⅷ', '𝟘', '²'],
  ...[
    'e\u0301',
    'é',
    '\u0301',
    '\u0316\u0301',
    '\u1112',
    '\u1161',
    '\u11ab',
    '가',
    'ᾳ',
    '\u0345',
    'ﬁ',
    '\u212b',
    '\u0344',
  ],
  ...[
    'हिन्दी',
    'ภาษาไทย',
    'العَرَبِيَّة',
    'עִבְרִית',
    '北京',
    'に',
    'か\u3099',
    '👩‍👩‍👧',
    '🇩🇪',
    '\ud83d',
    '\ude00',
    '\ud800\udc00',
    '\u{1dfa}',
  ],
  ...[
    '\u{11938}',
    '\u{11935}\u{11930}',
    '\u{1e030}',
    '\u{2ebf0}',
    '\u{10ffff}',
    '\u{88f}',
    '\u{a7d2}',
    '\u{16ff4}',
    '<é>',
    '<e\u0301>',
  ],
  ...['<|im_end|>', '<|im_start|>', '<think>', '</tool_call>', '<|eot_id|>', '<|endoftext|>', '<|im_', '<', '<|'],
  ...[
    'Hello',
    ' world',
    'HAVING',
    'const x = 1;',
    '{"a":"b"}',
    '....',
    '====',
    '\\n',
    'ÀÉ',
    'ß',
    'ﬀ',
    '\u{fffd}',
    'Ġ',
    'Ċ',
  ],
];
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 4,
    }),
  },
);
const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe.each(SUBJECTS)('%s', (_, subject) => {
  const json = subject();
  const encode = fastOf(json);
  const library = Library.fromString(JSON.stringify(json));
  const expected = async (asked: readonly string[]) => {
    const encodings = await library.encodeBatch([...asked], { addSpecialTokens: false });
    return encodings.map((encoding) => encoding.getIds());
  };

  it('gives the ids of the library for any text', async () => {
    const texts = fc.sample(text, { numRuns: 10_000, seed: 7 });
    const ids = await expected(texts);
    for (const [at, asked] of texts.entries()) {
      const got = encode(asked);
      if (got.join() !== ids[at]?.join()) expect([asked, ...got]).toEqual([asked, ...(ids[at] ?? [])]);
    }
  });

  it('gives the ids of the library for the first and last character of every class, alone and among letters', async () => {
    const edges = [...CHAR_CLASSES.keys()].filter(
      (code) => CHAR_CLASSES[code] !== CHAR_CLASSES[code - 1] || CHAR_CLASSES[code] !== CHAR_CLASSES[code + 1],
    );
    const texts: string[] = [];
    for (let from = 0; from < edges.length; from += 16) {
      const characters = edges.slice(from, from + 16).map((code) => String.fromCodePoint(code));
      texts.push(characters.join(' a'), characters.join('b'));
    }
    const ids = await expected(texts);
    for (const [at, asked] of texts.entries()) {
      const got = encode(asked);
      if (got.join() !== ids[at]?.join()) expect(asked).toBe('encoded as the library does');
    }
  });

  it('gives the ids of the library for long runs without a blank', async () => {
    const texts = ['a', ' ', '\n', '=', 'ab', '1', '北', '\u0301', '😀', '\0', 'aaab', "'s", '\r', 'é', '<'].map(
      (unit) => unit.repeat(60_000 / unit.length),
    );
    const ids = await expected(texts);
    for (const [at, asked] of texts.entries()) {
      const got = encode(asked);
      if (got.join() !== ids[at]?.join()) expect(`${asked.slice(0, 2)}…`).toBe('encoded as the library does');
    }
  });
});
