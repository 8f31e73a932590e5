import type { Schema } from 'avsc';
import fc from 'fast-check';

/** Text as producers may send it: any code units, lone surrogates and NUL included. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 200 }),
  fc.constantFrom('', '\ud800', 'a\udc00b', '\0', '😀', "'; drop", '\\N', 'é'.repeat(200)),
);

const PACKED32 = new Set(['prompt_delta_ids', 'completion_ids', 'completion_logprobs', 'token_ids', 'logprobs']);

/** Values of an Avro schema, as the decoder would give them. */
export function schemaArbitrary(schema: Schema, named = new Map<string, Schema>(), field = ''): fc.Arbitrary<unknown> {
  if (Array.isArray(schema)) {
    return fc.oneof(...schema.map((branch) => schemaArbitrary(branch, named, field)));
  }
  if (typeof schema === 'string') return primitive(schema, named, field);
  if (!('type' in schema)) throw new Error('unexpected schema');
  const { type } = schema;
  if (type === 'record' && 'fields' in schema) {
    named.set(String(schema.name), schema);
    const fields = schema.fields.map((one) => [one.name, schemaArbitrary(one.type, named, one.name)] as const);
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
  }
  if (type === 'enum' && 'symbols' in schema) {
    named.set(String(schema.name), schema);
    return fc.constantFrom(...schema.symbols);
  }
  if (type === 'array' && 'items' in schema) {
    return fc.array(schemaArbitrary(schema.items, named, field), { maxLength: 3 });
  }
  if (type === 'map' && 'values' in schema) {
    const values = schemaArbitrary(schema.values, named, field);
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), values, { maxKeys: 3, noNullPrototype: true });
  }
  return schemaArbitrary(type, named, field);
}

function primitive(name: string, named: Map<string, Schema>, field: string): fc.Arbitrary<unknown> {
  const schema = named.get(name);
  if (schema !== undefined) return schemaArbitrary(schema, named, field);
  switch (name) {
    case 'null':
      return fc.constant(null);
    case 'string':
      return anyText;
    case 'boolean':
      return fc.boolean();
    case 'int':
      // Times and sequence numbers that the pipeline accepts are not negative.
      return fc.integer({ min: 0, max: 2 ** 31 - 1 });
    case 'long':
      return fc.integer({ min: 0, max: 2 ** 47 });
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'bytes':
      return PACKED32.has(field) ? words : fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    default:
      throw new Error(`unexpected type ${name}`);
  }
}

const words = fc
  .array(fc.nat(0xffffffff), { maxLength: 12 })
  .map((values) => Buffer.from(new Uint32Array(values).buffer));
