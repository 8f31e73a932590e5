import { RollstreamError } from '../../../errors.ts';

/** Longer ones are no names: they would be in every event, key and URL. */
export const MAX_ID_BYTES = 512;

/** As it is, or RS_USAGE, which names `field` and says what is wrong. */
export function checkedId(text: string, field: string): string {
  if (text === '') throw refused(field, 'it is empty; leave it out where there is none');
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ID_BYTES) throw refused(field, `it has ${bytes} bytes; at most ${MAX_ID_BYTES} are taken`);
  const at = controlCharacterIn(text);
  if (at !== null)
    throw refused(field, `it has a control character (U+${at.toString(16).toUpperCase().padStart(4, '0')})`);
  if (!text.isWellFormed() || text.includes('\ufffd')) throw refused(field, 'it is no UTF-8');
  if (text.trim() !== text) throw refused(field, 'it begins or ends with a blank');
  return text;
}

export function checkedCount(text: string, field: string, least: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value < 2 ** 31) return value;
  throw refused(field, `a whole number from ${least} on is needed, got ${JSON.stringify(text.slice(0, 40))}`);
}

export function refused(field: string, why: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `${field}: ${why}`, { facts: { field } });
}

/** Its code point; null: there is none. Line separators count, since logs and keys are lines. */
function controlCharacterIn(text: string): number | null {
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point === 0x2028 || point === 0x2029) return point;
  }
  return null;
}
