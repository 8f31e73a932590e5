import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaIdOf } from '../../../processors/decode/wire-format.ts';
import type { OutRecord } from '../../../processors/model/effects.ts';
import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import { type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { segmentsBlob } from '../../../src/blobs/segments-blob.ts';
import { prepareRecord } from '../../../src/broker/prepared-record.ts';
import { topicNames } from '../../../src/config/topics.ts';
import { createEncodeRecords } from '../../../src/lanes/out-records.ts';
import { type Codecs, createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';

let folder: string;
let codecs: Codecs;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-records-'));
  codecs = createCodecs(await openLocalRegistry({ folder }));
});
afterAll(() => rm(folder, { recursive: true }));

/** One segment of so many tokens, none sampled: 6 bytes each. */
function withTokens(count: number, over: Partial<Trajectory> = {}): Trajectory {
  const segment = {
    ...{
      segment_id: 'main',
      parent_segment_id: null,
      fork_at: null,
      prompt_len: count,
      logprobs: null,
      weight_spans: [],
    },
    ...{ token_ids: Buffer.alloc(count * 4, 1), sampled_mask: Buffer.alloc(count), loss_mask: Buffer.alloc(count) },
  };
  return sampleTrajectory({ segments: [segment], ...over });
}

async function encoded(hasBlobs: boolean, topic: 'ready' | 'rejected', trajectory: Trajectory) {
  const encode = await createEncodeRecords(codecs, topicNames(''), hasBlobs);
  const out: OutRecord = { topic, key: 'run/0/g/group', offset: 0, trajectory };
  const { records, blobs, refs } = encode([out]);
  const record = records[0]?.record;
  if (record?.value === undefined || record.value === null) throw new Error('no record');
  const id = schemaIdOf(record.value);
  await codecs.prepare(typeof id === 'number' ? [id] : []);
  const outcome = codecs.decoderOf<Trajectory>(trajectorySchema)(record.value);
  if (outcome.kind !== 'ok') throw new Error(outcome.kind);
  // As each broker counts it.
  const { payloadBytes } = prepareRecord('t', record, Number.MAX_SAFE_INTEGER);
  return { read: outcome.value, blobs, ref: refs.get(trajectory) ?? null, payloadBytes };
}

it('up to the limit it is self-contained, to the byte; above it the segments go to a blob', async () => {
  const { payloadBytes } = await encoded(true, 'ready', withTokens(1_300_000, { task_metadata: 'x'.repeat(70_000) }));
  const room = MOST_RECORD_BYTES - payloadBytes;
  const most = withTokens(1_300_000, { task_metadata: 'x'.repeat(70_000 + room) });
  const whole = await encoded(true, 'ready', most);
  expect(whole).toMatchObject({ payloadBytes: MOST_RECORD_BYTES, blobs: [], ref: null });
  // Byte by byte in C++: the matcher of a million bytes takes minutes.
  expect(segmentsBlob(whole.read.segments).ref).toEqual(segmentsBlob(most.segments).ref);
  expect({ ...whole.read, segments: [] }).toEqual({ ...most, segments: [] });

  const over = { ...most, task_metadata: `${most.task_metadata}x` };
  const { read, blobs, ref, payloadBytes: bytes } = await encoded(true, 'ready', over);
  expect(blobs).toHaveLength(1);
  expect(ref).toMatchObject({ sha256: blobs[0]?.sha256, length: blobs[0]?.bytes.length });
  expect(read).toEqual({ ...over, segments: [], segments_ref: ref });
  expect(bytes).toBeLessThan(MOST_RECORD_BYTES);
});

it('without a blob folder what is rejected goes without token data, and nothing goes to the trainer without it', async () => {
  const large = withTokens(1_400_000);
  const { read, blobs } = await encoded(false, 'rejected', large);
  expect(read).toEqual({ ...large, segments: [] });
  expect(blobs).toEqual([]);
  await expect(encoded(false, 'ready', large)).rejects.toThrow('bug');
});

it('what is too large beside its tokens is rejected without its lists: a record that the log refuses would stop the lane', async () => {
  const large = withTokens(10, { task_metadata: 'x'.repeat(MOST_RECORD_BYTES) });
  for (const hasBlobs of [true, false]) {
    const { read, payloadBytes } = await encoded(hasBlobs, 'rejected', large);
    expect(read).toMatchObject({ rollout_id: large.rollout_id, why: large.why, task_metadata: null, turns: [] });
    expect(payloadBytes).toBeLessThan(MOST_RECORD_BYTES);
  }
});

it('an id with a lone surrogate goes out: its header is UTF-8, and the record has it as it is', async () => {
  const odd = sampleTrajectory({ run_id: 'r\ud800', group_id: '\udc00' });
  const { read } = await encoded(true, 'ready', odd);
  expect(read).toMatchObject({ run_id: 'r\ud800', group_id: '\udc00' });
});
