import { nfcNormalizer, Tokenizer } from 'tokenizers';

/** The classes of char-classes.ts as the library has them: what `\p{L}`, `\p{N}` and `\s` match there, and where its NFC is Node's. */
export function libraryCharClasses(): Uint8Array {
  const classes = new Uint8Array(0x110000);
  for (const [value, pattern] of [
    [1, '\\p{L}'],
    [2, '\\p{N}'],
    [3, '\\s'],
  ] as const)
    for (const code of matchedBy(pattern)) classes[code] = value;
  for (const [code, value] of nfcClasses()) classes[code] = (classes[code] ?? 0) | (value << 2);
  return classes;
}

const CHARACTERS: readonly number[] = Array.from({ length: 0x110000 }, (_, code) => code).filter(
  (code) => code < 0xd800 || code > 0xdfff,
);
const text = (...codes: readonly number[]): string => String.fromCodePoint(...codes);

function matchedBy(pattern: string): number[] {
  const splitter = Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: false },
      post_processor: null,
      decoder: null,
      model: { type: 'BPE', vocab: {}, merges: [] },
    }),
  ).getPreTokenizer();
  if (splitter === null) throw new Error('no splitter');
  const matched: number[] = [];
  for (let from = 0; from < CHARACTERS.length; from += 4096) {
    const codes = CHARACTERS.slice(from, from + 4096);
    const left = new Set(splitter.preTokenizeString(text(...codes)).flatMap(([piece]) => [...piece]));
    matched.push(...codes.filter((code) => !left.has(text(code))));
  }
  return matched;
}

/** By character whose NFC is not plainly itself: 1 where library and Node agree, 2 where they do not. */
function nfcClasses(): Map<number, number> {
  const normalizer = nfcNormalizer();
  const library = (asked: string) => normalizer.normalizeString(asked);
  const agree = (asked: string) => library(asked) === asked.normalize('NFC');
  const classes = new Map<number, number>();
  const compositions: Array<[number, string]> = [];
  for (const code of CHARACTERS) {
    const character = text(code);
    const parts = character.normalize('NFD');
    if (parts !== character && !isHangul(code)) compositions.push([code, parts]);
    if (character.normalize('NFC') !== character || library(character) !== character) classes.set(code, 1);
    // Newer than this Unicode, or a mark: it may be moved by others, and must be where it is moved alike.
    if (/\p{Cn}/u.test(character)) classes.set(code, 2);
    else if (isMoved(character)) classes.set(code, 1);
    if (!agree(character)) classes.set(code, 2);
  }
  for (const [, parts] of compositions)
    for (const part of [...parts].slice(1)) classes.set(part.codePointAt(0) ?? 0, 1);
  for (let jamo = 0x1161; jamo <= 0x11ff; jamo++) classes.set(jamo, 1);
  for (const code of CHARACTERS) {
    const character = text(code);
    if (!/\p{M}/u.test(character)) continue;
    const isAlike = MARKS.every((mark) => agree(`a${character}${mark}`) && agree(`a${mark}${character}`));
    if (!isAlike) classes.set(code, 2);
  }
  for (const [code, parts] of compositions)
    if (!agree(parts)) for (const part of [text(code), ...parts]) classes.set(part.codePointAt(0) ?? 0, 2);
  return classes;
}

/** A mark of each combining class, all older than Unicode 9. */
const MARKS: readonly string[] = [
  ...[0x334, 0x93c, 0x3099, 0x94d, 0x5b0, 0x5b1, 0x5b2, 0x5b3, 0x5b4, 0x5b5, 0x5b6, 0x5b7, 0x5b8, 0x5b9, 0x5bb, 0x5bc],
  ...[0x5bd, 0x5bf, 0x5c1, 0x5c2, 0xfb1e, 0x64b, 0x64c, 0x64d, 0x64e, 0x64f, 0x650, 0x651, 0x652, 0x670, 0x711, 0xc55],
  ...[
    0xc56, 0xe38, 0xe48, 0xeb8, 0xec8, 0xf71, 0xf72, 0xf74, 0x321, 0x1dce, 0x31b, 0x323, 0x302a, 0x316, 0x59a, 0x302e,
  ],
  ...[0x1d16d, 0x5ae, 0x301, 0x315, 0x35c, 0x35d, 0x345],
].map((code) => text(code));

/** Either side moves it past a mark. */
function isMoved(character: string): boolean {
  if (!/\p{M}/u.test(character)) return false;
  return ['\u0334', '\u0345'].some(
    (mark) =>
      `a${character}${mark}`.normalize('NFC') !== `a${character}${mark}` ||
      `a${mark}${character}`.normalize('NFC') !== `a${mark}${character}`,
  );
}

/** Its parts compose by arithmetic: no table can differ. */
function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}
