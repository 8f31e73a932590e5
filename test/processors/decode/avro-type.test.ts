import avsc, { type Schema } from 'avsc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { decisionSchema } from '../../../schemas/generated/decision.ts';
import { policyVersionSchema } from '../../../schemas/generated/policy-version.ts';
import { retryRequestSchema } from '../../../schemas/generated/retry-request.ts';
import { stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { avroNodeOf } from '../../../src/registry/avro-node.ts';
import { arbitraryOf } from '../../schemas/arbitrary-of.ts';

const record = (type: Schema): Schema => ({ type: 'record', name: 'R', fields: [{ name: 'value', type }] });
const decode = (type: Schema, bytes: number[]) => avroTypeOf(record(type)).fromBuffer(Buffer.from(bytes));

describe('what is written is read, whatever the value', () => {
  const schemas = { stepEventSchema, trajectorySchema, decisionSchema, retryRequestSchema, policyVersionSchema };
  for (const [name, schema] of Object.entries(schemas)) {
    it(name, () => {
      const type = avroTypeOf(schema);
      fc.assert(
        fc.property(arbitraryOf(avroNodeOf(schema)), (value) => {
          expect(type.fromBuffer(type.toBuffer(value))).toEqual(value);
        }),
        { numRuns: 150 },
      );
    });
  }
});

describe('longs', () => {
  const type = avroTypeOf('long');
  // Zigzag by hand: n >= 0 is 2n, n < 0 is -2n - 1; seven bits a byte, lowest first.
  const known: [number, string][] = [
    [0, '00'],
    [-1, '01'],
    [63, '7e'],
    [-64, '7f'],
    [64, '8001'],
    [2 ** 52, '8080808080808010'],
    [-(2 ** 52) - 1, '8180808080808010'],
    [2 ** 53 - 1, 'feffffffffffff1f'],
    [-(2 ** 53) + 1, 'fdffffffffffff1f'],
  ];
  for (const [value, hex] of known) {
    it(`${value} is ${hex}`, () => {
      expect(type.toBuffer(value).toString('hex')).toBe(hex);
      expect(type.fromBuffer(Buffer.from(hex, 'hex'))).toBe(value);
    });
  }

  it('beyond 2^53 - 1 are refused both ways, never rounded', () => {
    for (const value of [2 ** 53, -(2 ** 53), 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => type.toBuffer(value)).toThrow('invalid "long"');
    }
    expect(() => type.fromBuffer(Buffer.from('8080808080808020', 'hex'))).toThrow('a long beyond 2^53 - 1');
    expect(() => type.fromBuffer(Buffer.from('ffffffffffffffffff01', 'hex'))).toThrow('a long beyond 2^53 - 1');
  });

  it('of the library alone change their sign below -2^52, which is why these exist', () => {
    const plain = avsc.Type.forSchema('long');
    expect(plain.fromBuffer(plain.toBuffer(-(2 ** 52) - 1))).toBe(2 ** 52);
  });
});

describe('text', () => {
  it('keeps lone surrogates, three bytes each', () => {
    const type = avroTypeOf('string');
    expect(type.toBuffer('a\ud800').toString('hex')).toBe('0861eda080');
    expect(type.fromBuffer(Buffer.from('0861eda080', 'hex'))).toBe('a\ud800');
  });

  it('that really holds U+FFFD is text like any other', () => {
    const type = avroTypeOf('string');
    expect(type.fromBuffer(type.toBuffer('x\ufffdy'))).toBe('x\ufffdy');
  });

  it('that is not UTF-8 is refused, not replaced', () => {
    expect(() => decode('string', [2, 0xff])).toThrow('a string that is not UTF-8');
    // A pair of surrogates has one form: four bytes.
    expect(() => decode('string', [12, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80])).toThrow('a string that is not UTF-8');
  });
});

describe('wrong bytes end quickly', () => {
  // 2^31 as a zigzag long: what a damaged record claims.
  const hugeCount = [0x80, 0x80, 0x80, 0x80, 0x20];

  it('a count of items above the bytes left is refused before anything is allocated', () => {
    expect(() => decode({ type: 'array', items: 'int' }, hugeCount)).toThrow('truncated');
    expect(() => decode({ type: 'map', values: 'int' }, hugeCount)).toThrow('truncated');
  });

  it('also where the reader does not know the field', () => {
    const reader = avroTypeOf({ type: 'record', name: 'R', fields: [] });
    for (const items of [{ type: 'array', items: 'int' } as const, { type: 'map', values: 'int' } as const]) {
      const resolver = reader.createResolver(avroTypeOf(record(items)));
      expect(() => reader.fromBuffer(Buffer.from(hugeCount), resolver)).toThrow('truncated');
    }
  });

  it('an array of values without bytes is refused, read or passed over: four bytes may say that it has a billion', () => {
    const empty: Schema[] = ['null', { type: 'record', name: 'E', fields: [{ name: 'n', type: 'null' }] }];
    for (const items of empty) {
      // Ten bytes follow, so that the count, 8, is one that could be.
      const bytes = [16, 0, ...new Array(10).fill(0)];
      expect(() => decode({ type: 'array', items }, bytes)).toThrow('take no bytes');
      const reader = avroTypeOf({ type: 'record', name: 'R', fields: [] });
      const resolver = reader.createResolver(avroTypeOf(record({ type: 'array', items })));
      expect(() => reader.fromBuffer(Buffer.from(bytes), resolver)).toThrow('take no bytes');
      expect(decode({ type: 'array', items }, [0])).toEqual({ value: [] });
    }
  });

  it('blocks with their size in bytes are read and skipped', () => {
    // One block of 2 ints (count -2, 2 bytes), then the end.
    const bytes = [3, 4, 2, 4, 0];
    expect(decode({ type: 'array', items: 'int' }, bytes)).toEqual({ value: [1, 2] });
  });

  it('no mangled record makes it throw anything but an Error, or hang', () => {
    const type = avroTypeOf(stepEventSchema);
    fc.assert(
      fc.property(
        arbitraryOf(avroNodeOf(stepEventSchema)),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (value, edits) => {
          const bytes = type.toBuffer(value);
          for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
          try {
            type.decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

it("a map keeps the key __proto__, as the map's own", () => {
  const type = avroTypeOf({ type: 'map', values: 'double' });
  const value = type.fromBuffer(type.toBuffer(JSON.parse('{"__proto__": 1, "a": 2}')));
  expect(Object.entries(value)).toEqual([
    ['__proto__', 1],
    ['a', 2],
  ]);
});

it('an int of more than 32 bits is refused', () => {
  expect(() => decode('int', [0x80, 0x80, 0x80, 0x80, 0x20])).toThrow('more than 32 bits');
});
