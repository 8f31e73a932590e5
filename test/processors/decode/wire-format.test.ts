import { describe, expect, it } from 'vitest';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { frame, schemaIdOf } from '../../../processors/decode/wire-format.ts';

const text = avroTypeOf('string');

describe('a record', () => {
  it('is 0, the id as a big-endian uint32, then the value', () => {
    expect(frame(0x01020304, text, 'hi').toString('hex')).toBe('00010203040468' + '69');
  });

  it('of any size is whole: the buffer grows, and what was given out before stays as it was', () => {
    const small = frame(1, text, 'before');
    for (const length of [1019, 65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 65_536, 65_537, 1_000_000]) {
      const record = frame(2, text, 'x'.repeat(length));
      expect(text.decode(record, 5)).toEqual({ value: 'x'.repeat(length), offset: record.length });
    }
    expect(text.decode(small, 5).value).toBe('before');
  });
});

describe('the schema id', () => {
  it('is read back, up to 2^32 - 1', () => {
    for (const id of [0, 1, 2 ** 31, 2 ** 32 - 1]) expect(schemaIdOf(frame(id, text, ''))).toBe(id);
  });

  it('of fewer than five bytes is a fault', () => {
    for (const length of [0, 1, 4]) {
      expect(schemaIdOf(Buffer.alloc(length))).toMatchObject({ code: 'too_short', got: `${length} bytes` });
    }
  });

  it('after another first byte than 0 is a fault', () => {
    expect(schemaIdOf(Buffer.from([1, 0, 0, 0, 1, 0]))).toMatchObject({ stage: 'decode', code: 'bad_magic', got: '1' });
  });
});
