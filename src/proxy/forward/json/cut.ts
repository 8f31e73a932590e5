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

/**
 * The bytes of a JSON text without what the rule names; all other bytes are as they were. What is null already was not filled in,
 * and stays. The text itself: nothing of it is there. null: it is no JSON, or torn.
 */
export function cutText(text: Buffer, rule: CutRule): Buffer | null {
  const cuts: Cut[] = [];
  const start = skipSpace(text, 0);
  const end = cutValue(text, start, rule, cuts);
  if (end === NOWHERE || skipSpace(text, end) !== text.length) return null;
  if (cuts.length === 0) return text;
  const parts: Buffer[] = [];
  let from = 0;
  for (const cut of cuts) {
    parts.push(text.subarray(from, cut.start));
    if (cut.by !== '') parts.push(NULL);
    from = cut.end;
  }
  parts.push(text.subarray(from));
  return Buffer.concat(parts);
}

const NULL = Buffer.from('null');

/** Where the value ends. Each byte is looked at once, however deep the rule goes. */
function cutValue(text: Buffer, start: number, rule: CutRule, cuts: Cut[]): number {
  if (text[start] === 0x7b && rule.members !== undefined) return cutObject(text, start, rule.members, cuts);
  const { each } = rule;
  if (text[start] !== 0x5b || each === undefined) return endOfValue(text, start);
  return scanArray(text, start, (from) => cutValue(text, from, each, cuts));
}

interface Span {
  readonly start: number;
  readonly end: number;
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
