import { ExactNumber, isObject, type JsonObject, type JsonValue, setOwn } from '../exact-number.ts';

/** A value of a record that holds no others, and where it stands. */
export interface Leaf {
  readonly steps: readonly (string | number)[];
  readonly value: Exclude<JsonValue, null | JsonValue[] | JsonObject>;
}

/**
 * All leaves of a value. Of an array of numbers the first and the last stand for all: they are tokens, masks, logprobs. null says
 * nothing that could be lost.
 */
export function* leavesOf(value: JsonValue, steps: readonly (string | number)[] = []): Generator<Leaf> {
  if (value === null) return;
  if (Array.isArray(value)) {
    const isNumbers = value.length > 2 && value.every((item) => item === null || typeof item === 'number');
    const shown = isNumbers ? [0, value.length - 1] : value.keys();
    for (const i of shown) yield* leavesOf(value[i] ?? null, [...steps, i]);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* leavesOf(item, [...steps, key]);
  } else yield { steps, value };
}

/** The value with another in one place; all that lies beside the way there is shared. */
export function withLeaf(value: JsonValue, steps: readonly (string | number)[], leaf: JsonValue): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return leaf;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withLeaf(item, rest, leaf) : item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(copy, key, key === step ? withLeaf(item, rest, leaf) : item);
  return copy;
}

/** `a.b[0].c`; a key with a dot or a bracket in it is quoted. */
export function pathOf(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (/^[^.[\]"\s]+$/.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}

/** Other values in a leaf's place, the likeliest to be taken first. */
export function othersThan(value: Leaf['value']): JsonValue[] {
  if (typeof value === 'string') return [`${value}${MARK}`, MARK];
  if (typeof value === 'number') return [value + 1, value + 1_000_003, MARK];
  if (typeof value === 'boolean') return [!value, MARK];
  return [new ExactNumber(/^-?\d+$/.test(value.text) ? `${value.text}000` : '9007199254740993'), MARK];
}

const MARK = '~other~';
