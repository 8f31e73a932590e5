import { isStrictObject, type StrictValue } from '../parse/strict-value.ts';
import { canonicalText, untypedText } from './canonical-text.ts';

/** A place where two arguments are not the same. */
export interface Difference {
  /** Such as `path.lines[2]`; empty: the whole. */
  readonly path: string;
  /**
   * missing: only written; extra: only executed; type: of another type; value: another of the same type; near: the same but for
   * blanks at its ends, or a number that a double cannot tell apart.
   */
  readonly kind: 'missing' | 'extra' | 'type' | 'value' | 'near';
  /** As JSON; null: it is not there. */
  readonly written: string | null;
  readonly executed: string | null;
}

const MOST_DIFFERENCES = 8;

/** Where what was executed is not what was written; the first few, in the order of writing. No recursion. */
export function differences(written: StrictValue, executed: StrictValue, isUntyped: boolean): Difference[] {
  const found: Difference[] = [];
  const work: Array<{ path: string; depth: number; a: StrictValue; b: StrictValue }> = [
    { path: '', depth: 0, a: written, b: executed },
  ];
  for (let next = work.pop(); next !== undefined && found.length < MOST_DIFFERENCES; next = work.pop()) {
    const { path, depth, a, b } = next;
    if (a === b) continue;
    if (isStrictObject(a) && isStrictObject(b)) {
      const under: typeof work = [];
      for (const [key, member] of a.entries) {
        const other = b.entries.get(key);
        const place = within(path, key);
        if (other === undefined)
          found.push({ path: place, kind: 'missing', written: canonicalText(member), executed: null });
        else under.push({ path: place, depth: depth + 1, a: member, b: other });
      }
      for (const [key, member] of b.entries)
        if (!a.entries.has(key))
          found.push({ path: within(path, key), kind: 'extra', written: null, executed: canonicalText(member) });
      for (const item of under.reverse()) work.push(item);
    } else if (typeOf(a) === 'list' && typeOf(b) === 'list' && depth > 0) compareLists(path, depth, a, b, work, found);
    else {
      const isLoose = isUntyped && depth === 1 && typeof a === 'string';
      const same = isLoose ? untypedText(a) === untypedText(b) : canonicalText(a) === canonicalText(b);
      if (same) continue;
      const kind = isNear(a, b) ? 'near' : isLoose || typeOf(a) === typeOf(b) ? 'value' : 'type';
      found.push({ path, kind, written: canonicalText(a), executed: canonicalText(b) });
    }
  }
  return found.slice(0, MOST_DIFFERENCES);
}

/** Lost on the way, not another thing to do: a line break at the end of a text, digits beyond a double. */
function isNear(a: StrictValue, b: StrictValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.trim() === b.trim();
  if (typeOf(a) !== 'number' || typeOf(b) !== 'number') return false;
  return Number(canonicalText(a)) === Number(canonicalText(b));
}

function compareLists(
  path: string,
  depth: number,
  a: StrictValue,
  b: StrictValue,
  work: Array<{ path: string; depth: number; a: StrictValue; b: StrictValue }>,
  found: Difference[],
): void {
  const left = itemsOf(a);
  const right = itemsOf(b);
  if (left.length !== right.length) {
    const kind = right.length < left.length ? 'missing' : 'extra';
    found.push({ path, kind, written: canonicalText(a), executed: canonicalText(b) });
    return;
  }
  for (let i = left.length - 1; i >= 0; i--)
    work.push({ path: `${path}[${i}]`, depth: depth + 1, a: left[i] ?? null, b: right[i] ?? null });
}

function itemsOf(value: StrictValue): readonly StrictValue[] {
  return typeof value === 'object' && value !== null && value.kind === 'list' ? value.items : [];
}

function within(path: string, key: string): string {
  const name = key.slice(0, 64);
  return path === '' ? name : `${path}.${name}`.slice(0, 200);
}

function typeOf(value: StrictValue): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? value.kind : typeof value;
}
