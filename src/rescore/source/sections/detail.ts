import { stepEventSchema } from '../../../../schemas/generated/step-event.ts';

/** Fields of a kind's record that have no column. */
export interface Detail<Fields> {
  /** Those that are known here. */
  readonly fields: Partial<Fields>;
  /** A record with what the schema has gained since: it has no column yet, and must come back all the same. */
  complete(record: Fields): Fields;
}

/**
 * The inverse of `exactJson`. Many rows of a kind say the same, one after the other: it is parsed once, and shared. `known`: names
 * of all fields that the caller sets.
 */
export function createReadDetail<Fields extends object>(
  kind: string,
  known: ReadonlyArray<keyof Fields & string>,
): (text: string) => Detail<Fields> {
  const names = new Set<string>(known);
  const nothing: Detail<Fields> = { fields: {}, complete: (record) => record };
  let lastText = '';
  let last = nothing;
  return (text) => {
    if (text === '') return nothing;
    if (text === lastText) return last;
    const parsed: Partial<Fields> = JSON.parse(text);
    const fields = ODD.test(text) ? withNumbers(parsed, schemaOf(kind)) : parsed;
    let hasGained = false;
    for (const name in fields) if (!names.has(name)) hasGained = true;
    const complete = hasGained ? (record: Fields) => ({ ...fields, ...record }) : nothing.complete;
    lastText = text;
    last = { fields, complete };
    return last;
  };
}

/** What JSON cannot hold is written as text; a text that says the same stays one, where the schema has a text. */
const ODD = /"(?:NaN|-?Infinity|-0)"/;
const NUMBERS: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);
const NUMERIC: ReadonlySet<unknown> = new Set(['int', 'long', 'float', 'double']);

/** As far as it matters here: a name, a list of branches, or this. */
interface Shape {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly fields?: ReadonlyArray<{ readonly name: string; readonly type: unknown }>;
  readonly items?: unknown;
  readonly values?: unknown;
}

/** Fields of records by name: a schema names a record that it has defined before. */
const records = new Map<unknown, ReadonlyMap<string, unknown>>();

function schemaOf(kind: string): unknown {
  if (records.size === 0) collect(stepEventSchema);
  return records.get('StepEvent')?.get(kind);
}

function collect(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(collect);
  if (!isShape(schema)) return;
  if (schema.fields !== undefined)
    records.set(schema.name, new Map(schema.fields.map(({ name, type }) => [name, type])));
  for (const { type } of schema.fields ?? []) collect(type);
  for (const inner of [schema.items, schema.values, schema.type]) collect(inner);
}

function isShape(schema: unknown): schema is Shape {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

function withNumbers<Value>(value: Value, schema: unknown): Value;
function withNumbers(value: unknown, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.reduce((read: unknown, branch) => withNumbers(read, branch), value);
  const shape: Shape = isShape(schema) ? schema : { type: schema };
  if (NUMERIC.has(shape.type)) return NUMBERS.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withNumbers(one, shape.items));
  if (shape.values !== undefined) return mapped(value, () => shape.values);
  const fields = records.get(shape.name ?? shape.type);
  return fields === undefined ? value : mapped(value, (field) => fields.get(field));
}

function mapped(value: object, schemaOfField: (name: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbers(one, schemaOfField(name))]));
}
