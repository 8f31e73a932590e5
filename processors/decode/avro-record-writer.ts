import avsc, { type Type } from 'avsc';
import type { Tap } from './avro-tap.ts';

export type Write = (tap: Tap, value: unknown) => void;

/**
 * Writes what avsc writes, and refuses what it refuses. As in avsc the function is made of source text, so that each field is
 * read and written at a place of its own. But avsc asks a union for the kind of each value, and most of our fields are null:
 * here null is a byte, and any other value goes to the one type beside it.
 */
export function createRecordWriter({ fields }: avsc.types.RecordType): Write {
  const types = fields.map(({ type }) => besideNull(type) ?? type);
  const defaults = fields.map((field) => {
    const value: unknown = field.defaultValue();
    return value === undefined ? null : field.type.toBuffer(value);
  });
  const lines = fields.map(({ name, type }, i) => {
    const absent = defaults[i] === null ? '' : `if (value === undefined) copy(tap, default${i}); else `;
    const write = `type${i}._write(tap, value);`;
    return `value = record.${name}; ${absent}${besideNull(type) === null ? write : nullable(type, write)}`;
  });
  const names = [...types.map((_, i) => `type${i}`), ...defaults.map((_, i) => `default${i}`)];
  const make = new Function(
    ...['copy', 'object', ...names],
    `return function writeRecord(tap, record) {\nlet value;\n${lines.join('\n')}\n};`,
  );
  const write: Write = make(copy, object, ...types, ...defaults);
  return write;
}

const { UnwrappedUnionType } = avsc.types;

/** The other type of a union of null and that; null: it is none. */
function besideNull(type: Type): Type | null {
  if (!(type instanceof UnwrappedUnionType)) return null;
  const [first, other] = type.types;
  return type.types.length === 2 && first?.typeName === 'null' && other !== undefined ? other : null;
}

/** The index of the branch, then its value. Records and maps take any object by themselves: a union takes no list for one. */
function nullable(type: Type, write: string): string {
  const isObject = ['record', 'map'].includes(besideNull(type)?.typeName ?? '');
  const checked = isObject ? `object(value); ${write}` : write;
  return `if (value === null) tap.buf[tap.pos++] = 0; else { tap.buf[tap.pos++] = 2; ${checked} }`;
}

function object(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value) || Buffer.isBuffer(value)) throw new TypeError('not an object');
}

function copy(tap: Tap, bytes: Buffer): void {
  for (let i = 0; i < bytes.length; i++) tap.buf[tap.pos++] = bytes[i] ?? 0;
}
