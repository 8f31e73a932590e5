import { expect, it } from 'vitest';
import { type FramedRecord, frameRecords, unframeRecords } from '../../../src/access/record-frames.ts';

const RECORDS: FramedRecord[] = [
  { key: 'run/0/g/ä', headers: {}, value: Buffer.from([0, 0, 0, 0, 1, 255]) },
  { key: '', headers: { file: 'a.jsonl', line: '3' }, value: Buffer.alloc(0) },
];

it('gives back what was framed, byte for byte', () => {
  expect(unframeRecords(frameRecords(RECORDS))).toEqual(RECORDS);
  expect(unframeRecords(Buffer.alloc(0))).toEqual([]);
});

it('takes no body that was cut short, at whatever byte', () => {
  const whole = frameRecords(RECORDS);
  const first = frameRecords(RECORDS.slice(0, 1)).length;
  for (let length = 1; length < whole.length; length += 1) {
    if (length !== first) expect(unframeRecords(whole.subarray(0, length)), `${length}`).toBeNull();
  }
});

it('takes no headers that are not text', () => {
  const bad = frameRecords([{ key: 'k', headers: {}, value: Buffer.alloc(0) }]);
  const text = bad.toString('latin1').replace('{}', '[]').replace('[]', '1 ');
  expect(unframeRecords(Buffer.from(text, 'latin1'))).toBeNull();
});
