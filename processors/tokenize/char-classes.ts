import { CHAR_CLASS_RUNS } from './char-class-runs.ts';

/** Low two bits: what the patterns of tokenizers tell apart. */
export const KIND_MASK = 3;
export const OTHER = 0;
export const LETTER = 1;
export const NUMBER = 2;
export const SPACE = 3;
/** Above them, of NFC: 0 is itself wherever it stands; 1 may change, the same way in every implementation; 2 may differ. */
export const NFC_SHIFT = 2;

/**
 * A byte a character of Unicode, as the reference library has them: its `\p{L}`, `\p{N}` and `\s` are of another version of
 * Unicode than JavaScript's, and `\s` of another definition. Of another version of the library they are written anew by
 * `node --import ./test/run-typescript.mjs test/processors/tokenize/write-char-classes.ts`.
 */
export const CHAR_CLASSES: Uint8Array = readRuns();

function readRuns(): Uint8Array {
  const classes = new Uint8Array(0x110000);
  let at = 0;
  for (const [, length, letter] of CHAR_CLASS_RUNS.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = at + Number.parseInt(length ?? '', 36);
    classes.fill((letter ?? '').charCodeAt(0) - 65, at, end);
    at = end;
  }
  return classes;
}
