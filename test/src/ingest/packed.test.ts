import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../../src/ingest/exact-number.ts';
import { Refused } from '../../../src/ingest/fields.ts';
import { packLogprobs, packTokenIds } from '../../../src/ingest/packed.ts';

describe('packTokenIds', () => {
  test('ids are little-endian uint32', () => {
    expect(packTokenIds([1, 256, 4294967295], 'ids')).toEqual(Buffer.from('0100000000010000ffffffff', 'hex'));
  });

  test('a range is packed and named by its place in the whole', () => {
    expect(packTokenIds([9, 17, 10], 'ids', 1, 2)).toEqual(Buffer.from('11000000', 'hex'));
    expect(() => packTokenIds([9, 17, -1], 'ids', 1)).toThrow(
      new Refused('ids[2]', 'a token id from 0 to 4294967295', '-1'),
    );
  });

  test.each([
    [-1],
    [0.5],
    [2 ** 32],
    [Number.NaN],
    ['7'],
    [null],
    [true],
    [false],
    [new ExactNumber('9007199254740993')],
  ])('%s is no token id', (value) => {
    expect(() => packTokenIds([0, value], 'ids')).toThrow(/expected a token id from 0 to 4294967295/);
  });
});

describe('packLogprobs', () => {
  test('logprobs are little-endian float32', () => {
    expect(packLogprobs([-0.5, 0], 'logprobs')).toEqual({ bytes: Buffer.from('000000bf00000000', 'hex'), missing: [] });
  });

  test('a token without one makes them null, and its place is told', () => {
    expect(packLogprobs([-9, -1, null], 'logprobs', 1)).toEqual({ bytes: null, missing: [1] });
  });

  test.each([[new ExactNumber('NaN')], [new ExactNumber('-Infinity')], [-1e39], ['-0.1'], [undefined]])(
    '%s is refused, not made zero',
    (value) => {
      const values = [value ?? 'absent'];
      expect(() => packLogprobs(values, 'logprobs')).toThrow(/expected a finite logprob or null/);
    },
  );
});
