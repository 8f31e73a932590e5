import fc, { type Arbitrary } from 'fast-check';
import type { AvroNode, RecordNode } from '../../src/registry/avro-node.ts';

/** Values of a schema, with the edges that matter: longs at ±(2^53 - 1), NaN, -0, lone surrogates, empty and large bytes. */
export function arbitraryOf(node: AvroNode): Arbitrary<unknown> {
  switch (node.kind) {
    case 'record':
      return recordOf(node);
    case 'enum':
      return fc.constantFrom(...node.symbols);
    case 'array':
      return fc.array(arbitraryOf(node.items), { maxLength: 3 });
    case 'map':
      return fc.dictionary(fc.oneof(text(), fc.constant('__proto__')), arbitraryOf(node.values), { maxKeys: 3 });
    case 'union':
      return fc.oneof(...node.branches.map(arbitraryOf));
    case 'fixed':
      return bytes(node.size, node.size);
    case 'primitive':
      return primitiveOf(node.name);
  }
}

function recordOf(node: RecordNode): Arbitrary<unknown> {
  return fc.record(Object.fromEntries([...node.fields].map(([name, field]) => [name, arbitraryOf(field.type)])));
}

function primitiveOf(name: string): Arbitrary<unknown> {
  switch (name) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'int':
      return fc.oneof(fc.integer(), fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31)));
    case 'long':
      return fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 53 - 1, -(2 ** 53) + 1, -(2 ** 52) - 1, 2 ** 52, -1));
    case 'double':
      return fc.double();
    case 'bytes':
      return bytes(0, 200);
    default:
      return text();
  }
}

function text(): Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.constantFrom('', '\ud800', 'a\udfffb', '\ufffd', '\ud83d\ude00', 'x'.repeat(300), '\udc00\ud800'),
  );
}

function bytes(minLength: number, maxLength: number): Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array));
}
