import { endOfValue, isNull, NOWHERE, scanArray, scanObject, skipSpace } from './scan.ts';

/** How the text would look had it not been asked for: with the member as null, or without it. */
export type Absent = 'null' | 'omitted';

/** What is cut out, by where it stands. */
export interface CutRule {
  /** Of an object: what is cut, and where it is looked for deeper. */
  readonly members?: ReadonlyMap<string, Absent | CutRule>;
  /** Of an array: each of its elements. */
  readonly each?: CutRule;
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly by: 'null' | '';
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes without what the rule names of the JSON text that stands in them (`where`; all of them); all other bytes are as they were.
 * What is null already was not filled in, and stays. The bytes themselves: nothing of it is there. null: it is no JSON, or torn.
 */
export function cutText(bytes: Buffer, rule: CutRule, where: Span = { start: 0, end: bytes.length }): Buffer | null {
  const cuts: Cut[] = [];
  const start = skipSpace(bytes, where.start);
  const end = cutValue(bytes, start, rule, cuts);
  if (end === NOWHERE || end > where.end || skipSpace(bytes, end) < where.end) return null;
  return cuts.length === 0 ? bytes : without(bytes, cuts);
}

function without(bytes: Buffer, cuts: readonly Cut[]): Buffer {
  let { length } = bytes;
  for (const { start, end, by } of cuts) length += by.length - (end - start);
  const left = Buffer.allocUnsafe(length);
  let [at, from] = [0, 0];
  for (const { start, end, by } of cuts) {
    at += bytes.copy(left, at, from, start);
    at += left.write(by, at, 'latin1');
    from = end;
  }
  bytes.copy(left, at, from);
  return left;
}

/** Where the value ends. Each byte is looked at once, however deep the rule goes. */
function cutValue(text: Buffer, start: number, rule: CutRule, cuts: Cut[]): number {
  if (text[start] === 0x7b && rule.members !== undefined) return cutObject(text, start, rule.members, cuts);
  const { each } = rule;
  if (text[start] !== 0x5b || each === undefined) return endOfValue(text, start);
  return scanArray(text, start, (from) => cutValue(text, from, each, cuts));
}

/** Of several that are left out in a row one cut is made: with the comma before them, or, where none is kept before, the one behind. */
function cutObject(text: Buffer, start: number, members: NonNullable<CutRule['members']>, cuts: Cut[]): number {
  const at: { keptEnd: number | null; left: Span | null } = {
    /** Behind the last member that is kept; null: none is, so far. */
    keptEnd: null,
    /** What is being left out. */
    left: null,
  };
  const end = scanObject(text, start, (key, keyStart, valueStart) => {
    const found = members.get(key);
    if (found === 'omitted') {
      const valueEnd = endOfValue(text, valueStart);
      if (!isNull(text, valueStart, valueEnd)) {
        at.left = { start: at.left?.start ?? at.keptEnd ?? keyStart, end: valueEnd };
        return valueEnd;
      }
    }
    if (at.left !== null)
      cuts.push({ start: at.left.start, end: at.keptEnd === null ? keyStart : at.left.end, by: '' });
    at.left = null;
    const isDeeper = typeof found === 'object';
    const valueEnd = isDeeper ? cutValue(text, valueStart, found, cuts) : endOfValue(text, valueStart);
    at.keptEnd = valueEnd;
    if (found === 'null' && !isNull(text, valueStart, valueEnd)) {
      cuts.push({ start: valueStart, end: valueEnd, by: 'null' });
    }
    return valueEnd;
  });
  // An object with nothing in it has no space in it either, in whatever style it was written.
  if (end !== NOWHERE && at.left !== null)
    cuts.push(at.keptEnd === null ? { start: start + 1, end: end - 1, by: '' } : { ...at.left, by: '' });
  return end;
}
