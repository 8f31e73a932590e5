import { CHAR_CLASSES, NFC_SHIFT } from './char-classes.ts';

/** same: NFC changes nothing. node: what Node makes of it is what the library makes of it. library: it may not be. */
export type NfcNeed = 'same' | 'node' | 'library';

/** More marks in a row than any script writes; Node sorts them in quadratic time. */
const MOST_MARKS = 64;

/** Of valid UTF-8. */
export function nfcNeed(bytes: Uint8Array, from: number, end: number): NfcNeed {
  let need: NfcNeed = 'same';
  let marks = 0;
  for (let at = from; at < end; ) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      marks = 0;
      continue;
    }
    let code: number;
    if (lead < 0xe0) {
      code = ((lead & 0x1f) << 6) | ((bytes[at + 1] ?? 0) & 0x3f);
      at += 2;
    } else if (lead < 0xf0) {
      code = ((lead & 0x0f) << 12) | (((bytes[at + 1] ?? 0) & 0x3f) << 6) | ((bytes[at + 2] ?? 0) & 0x3f);
      at += 3;
    } else {
      code = ((lead & 0x07) << 18) | (((bytes[at + 1] ?? 0) & 0x3f) << 12);
      code |= (((bytes[at + 2] ?? 0) & 0x3f) << 6) | ((bytes[at + 3] ?? 0) & 0x3f);
      at += 4;
    }
    const nfc = (CHAR_CLASSES[code] ?? 0) >> NFC_SHIFT;
    if (nfc === 0) {
      marks = 0;
      continue;
    }
    marks += 1;
    if (nfc > 1 || marks > MOST_MARKS) return 'library';
    need = 'node';
  }
  return need;
}
