import { expect, it } from 'vitest';
import type { Segment } from '../../../schemas/generated/trajectory.ts';
import { segmentsBlob } from '../../../src/blobs/segments-blob.ts';

const SEGMENT: Segment = {
  segment_id: 'main',
  parent_segment_id: null,
  fork_at: 3,
  token_ids: Buffer.from([1, 0, 0, 0]),
  prompt_len: 1,
  sampled_mask: Buffer.from([0]),
  loss_mask: Buffer.from([0]),
  logprobs: null,
  weight_spans: [{ start: 0, version: 'w' }],
};

it('is the Avro value of the field: blocks of segments, field after field, as the Avro specification writes them', () => {
  const zigzag = (n: number) => n * 2;
  const text = (value: string) => [zigzag(value.length), ...Buffer.from(value)];
  const expected = Buffer.from([
    ...[zigzag(1)],
    ...text('main'),
    ...[zigzag(0)],
    ...[zigzag(1), zigzag(3)],
    ...[zigzag(4), 1, 0, 0, 0],
    ...[zigzag(1)],
    ...[zigzag(1), 0],
    ...[zigzag(1), 0],
    ...[zigzag(0)],
    ...[zigzag(1), zigzag(0), ...text('w'), zigzag(0)],
    ...[zigzag(0)],
  ]);
  const { ref, blob } = segmentsBlob([SEGMENT]);
  expect(blob.bytes.toString('hex')).toBe(expected.toString('hex'));
  expect(ref).toEqual({ uri: `blob:${blob.sha256}`, sha256: blob.sha256, length: expected.length });
});

it('equal segments are one blob, and another mask is another', () => {
  const [first, second] = [segmentsBlob([SEGMENT]), segmentsBlob([{ ...SEGMENT }])];
  expect(first.blob.sha256).toBe(second.blob.sha256);
  expect(segmentsBlob([{ ...SEGMENT, loss_mask: Buffer.from([1]) }]).blob.sha256).not.toBe(first.blob.sha256);
});
