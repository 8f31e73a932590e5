import type { Schema } from 'avsc';
import { expect, it } from 'vitest';
import { parseRegistryFile, registryFileOf } from '../../../../src/registry/local/registry-file.ts';

it('is read as it was written', () => {
  const state = {
    schemas: new Map<number, Schema>([
      [1, { type: 'enum', name: 'E', symbols: ['a'], default: 'a' }],
      [7, 'string'],
    ]),
    subjects: new Map([['rollout.steps-value', [7, 1]]]),
  };
  expect(parseRegistryFile('schemas.json', registryFileOf(state))).toEqual(state);
});

it('of another format says which, and which this build knows', () => {
  expect(() => parseRegistryFile('schemas.json', '{"format":2}')).toThrow('written in format 2; this build knows 1');
});

it('with entries that are none is damaged', () => {
  for (const entries of [
    '"schemas":[{"id":1}],"subjects":[]',
    '"schemas":[],"subjects":[{"subject":"s","ids":["1"]}]',
  ]) {
    expect(() => parseRegistryFile('schemas.json', `{"format":1,${entries}}`)).toThrow('damaged');
  }
});
