import { expect, test } from 'vitest';
import { murmur2, partitionOf } from '../../../src/broker/partition-of.ts';

test('murmur2 gives the values of the test of Kafka’s own Utils', () => {
  const vectors: Array<[string, number]> = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [text, hash] of vectors) {
    expect([text, murmur2(Buffer.from(text))]).toEqual([text, hash]);
  }
});

test('the partition is the hash without its sign bit, modulo the count', () => {
  // −973932308 & 0x7fffffff = 1173551340; 479470107 is positive.
  expect(partitionOf('21', 7)).toBe(1173551340 % 7);
  expect(partitionOf('abc', 12)).toBe(479470107 % 12);
});

test('a string and its UTF-8 bytes go to the same partition', () => {
  expect(partitionOf('run/é/🙂', 1000)).toBe(partitionOf(Buffer.from('run/é/🙂'), 1000));
});

test('bytes of a view are hashed from the view’s own start', () => {
  expect(murmur2(Buffer.from('xx21xx').subarray(2, 4))).toBe(-973932308);
});
