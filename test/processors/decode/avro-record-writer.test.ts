import avsc, { type Schema, type Type } from 'avsc';
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

const schemas: Record<string, Schema> = {
  stepEventSchema,
  trajectorySchema,
  decisionSchema,
  retryRequestSchema,
  policyVersionSchema,
};

/** Things that belong into few fields, or into none. */
const ODD: readonly unknown[] = [
  ...[undefined, null, true, 1, 1.5, 2 ** 31, Number.NaN, 'x', 'start', [], ['x'], {}, { a: 1 }, Buffer.from('x')],
];

type Value = Record<string, unknown>;
const isRecord = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

/** A value of the schema with one field, at any depth, replaced or left out. */
function oneOddField(value: Value, steps: readonly number[], odd: unknown): Value {
  const [step = 0, ...others] = steps;
  const names = Object.keys(value);
  const name = names[step % names.length];
  if (name === undefined) return value;
  const inner = value[name];
  return { ...value, [name]: isRecord(inner) && others.length > 0 ? oneOddField(inner, others, odd) : odd };
}

function bytesOrNothing(type: Type, value: unknown): string | null {
  try {
    return type.toBuffer(value).toString('hex');
  } catch {
    return null;
  }
}

describe('the bytes are those that avsc writes, and what it refuses is refused', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    const ours = avroTypeOf(schema);
    const theirs = avsc.Type.forSchema(schema);
    const values = arbitraryOf(avroNodeOf(schema)).map(heldByAvsc);

    it(`${name}, sound`, () => {
      fc.assert(
        fc.property(values, (value) => {
          expect(bytesOrNothing(ours, value)).toBe(bytesOrNothing(theirs, value));
        }),
        { numRuns: 300 },
      );
    });

    it(`${name}, with a field that is odd or missing`, () => {
      const odd = fc.tuple(values, fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }), fc.constantFrom(...ODD));
      fc.assert(
        fc.property(odd, ([value, steps, replacement]) => {
          const changed = oneOddField(isRecord(value) ? value : {}, steps, replacement);
          expect(bytesOrNothing(ours, changed)).toBe(bytesOrNothing(theirs, changed));
        }),
        { numRuns: 600 },
      );
    });
  }
});

/** avsc itself loses lone surrogates, the sign of longs below -2^52, and keys `__proto__` (avro-type.test.ts). */
function heldByAvsc(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value === 'number') return Number.isInteger(value) ? value % 2 ** 52 : value;
  if (Array.isArray(value)) return value.map(heldByAvsc);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, item]) => [key.toWellFormed(), heldByAvsc(item)]));
}
