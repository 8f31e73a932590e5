import { eachElement, eachMember, isNull, NOWHERE, skipSpace } from './scan.ts';

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

function cutValue(text: Buffer, start: number, rule: CutRule, cuts: Cut[]): number {
  if (text[start] === 0x7b) return cutObject(text, start, rule, cuts);
  let isTorn = false;
  const end = eachElement(text, start, (from) => {
    if (rule.each !== undefined && isContainer(text[from])) {
      isTorn = cutValue(text, from, rule.each, cuts) === NOWHERE || isTorn;
    }
  });
  return isTorn ? NOWHERE : end;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Of several that are left out in a row one cut is made: with the comma before them, or, where none is kept before, the one behind. */
function cutObject(text: Buffer, start: number, { members }: CutRule, cuts: Cut[]): number {
  const at: { keptEnd: number | null; left: Span | null; isTorn: boolean } = {
    /** Behind the last member that is kept; null: none is, so far. */
    keptEnd: null,
    /** What is being left out. */
    left: null,
    isTorn: false,
  };
  const end = eachMember(text, start, ({ key, keyStart, valueStart, valueEnd }) => {
    const found = members?.get(key);
    const isFilled = !isNull(text, valueStart, valueEnd);
    if (found === 'omitted' && isFilled) {
      at.left = { start: at.left?.start ?? at.keptEnd ?? keyStart, end: valueEnd };
      return;
    }
    if (at.left !== null)
      cuts.push({ start: at.left.start, end: at.keptEnd === null ? keyStart : at.left.end, by: '' });
    at.left = null;
    at.keptEnd = valueEnd;
    if (found === 'null' && isFilled) cuts.push({ start: valueStart, end: valueEnd, by: 'null' });
    else if (typeof found === 'object' && isContainer(text[valueStart])) {
      at.isTorn = cutValue(text, valueStart, found, cuts) === NOWHERE || at.isTorn;
    }
  });
  if (end === NOWHERE || at.isTorn) return NOWHERE;
  // An object with nothing in it has no space in it either, in whatever style it was written.
  if (at.left !== null)
    cuts.push(at.keptEnd === null ? { start: start + 1, end: end - 1, by: '' } : { ...at.left, by: '' });
  return end;
}

function isContainer(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b;
}
