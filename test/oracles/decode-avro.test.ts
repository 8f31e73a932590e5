import { spawnSync } from 'node:child_process';
import type { Schema } from 'avsc';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { frame } from '../../processors/decode/wire-format.ts';
import { decisionSchema } from '../../schemas/generated/decision.ts';
import { stepEventSchema } from '../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../schemas/generated/trajectory.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { avroNodeOf } from '../../src/registry/avro-node.ts';
import { arbitraryOf } from '../schemas/arbitrary-of.ts';

/** What the Python reader prints for a value. */
function plain(value: unknown, type: 'double' | 'other'): unknown {
  if (Buffer.isBuffer(value)) return { hex: value.toString('hex') };
  if (typeof value === 'number' && type === 'double') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return { double: bytes.toString('hex') };
  }
  return value;
}

/** Same walk as the schema's: only it tells a double from a long. */
function expected(schema: ReturnType<typeof avroNodeOf>, value: unknown): unknown {
  if (schema.kind === 'union') {
    const branch = schema.branches.find((candidate) => candidate.kind !== 'primitive' || candidate.name !== 'null');
    return value === null || branch === undefined ? null : expected(branch, value);
  }
  if (schema.kind === 'array' && Array.isArray(value)) return value.map((item) => expected(schema.items, item));
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) {
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
      if (schema.kind === 'map') return [key, expected(schema.values, item)];
      const field = schema.kind === 'record' ? schema.fields.get(key) : undefined;
      return [key, field === undefined ? item : expected(field.type, item)];
    });
    return Object.fromEntries(entries);
  }
  return plain(value, schema.kind === 'primitive' && schema.name === 'double' ? 'double' : 'other');
}

/** Lone surrogates are our own addition to Avro's UTF-8: other readers refuse or replace them. */
function isPortable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return true;
  return Object.entries(value).every(([key, item]) => isPortable(key) && isPortable(item));
}

describe('a reader written from the specification, in Python, reads what is written here', () => {
  const schemas: Record<string, Schema> = { stepEventSchema, trajectorySchema, decisionSchema };
  for (const [name, schema] of Object.entries(schemas)) {
    it(name, () => {
      const node = avroNodeOf(schema);
      const type = avroTypeOf(schema);
      const values = fc.sample(arbitraryOf(node).filter(isPortable), { numRuns: 60, seed: 20_260_101 });
      const lines = values.map((value) => JSON.stringify({ schema, hex: frame(7, type, value).toString('hex') }));
      const python = spawnSync('python3', [packageFile('test', 'oracles', 'decode_avro.py')], {
        input: lines.join('\n'),
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      expect(python.stderr).toBe('');
      const read = python.stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(read).toEqual(values.map((value) => ({ id: 7, value: expected(node, value) })));
    });
  }
});
