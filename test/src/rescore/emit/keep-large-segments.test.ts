import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaIdOf } from '../../../../processors/decode/wire-format.ts';
import { MOST_RECORD_BYTES } from '../../../../processors/model/record-bytes.ts';
import { type SegmentInit, type Trajectory, trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import { createResolveSegments } from '../../../../src/blobs/create-resolve-segments.ts';
import { segmentsBlob } from '../../../../src/blobs/segments-blob.ts';
import { createEmitReplay } from '../../../../src/rescore/emit/emit-replay.ts';
import { keepLargeSegments } from '../../../../src/rescore/emit/keep-large-segments.ts';
import { emitArgs, emitPipeline } from './emit-pipeline.ts';
import { writeReplay } from './replayed-groups.ts';

let pipeline: Awaited<ReturnType<typeof emitPipeline>>;
beforeAll(async () => {
  pipeline = await emitPipeline();
});
afterAll(() => pipeline.close());

/** 10 bytes a token; the last one is in the loss. */
function tokens(count: number): SegmentInit {
  const loss_mask = Buffer.alloc(count);
  loss_mask[count - 1] = 1;
  return {
    ...{ segment_id: 'main', parent_segment_id: null, fork_at: null, prompt_len: count - 1 },
    ...{ token_ids: Buffer.alloc(count * 4, 0x2a), sampled_mask: loss_mask, loss_mask },
    ...{ logprobs: Buffer.alloc(count * 4), weight_spans: [{ start: count - 1, version: '7' }] },
  };
}

/** A group whose first member is so large. */
async function written(name: string, segment: SegmentInit, keep: boolean): Promise<string> {
  const made = (row: Parameters<typeof keepLargeSegments>[0][number]) =>
    row.trajectory.rollout_id.endsWith('-0')
      ? { ...row, trajectory: { ...row.trajectory, segments: [segment], segment_count: 1 } }
      : row;
  const groups = [{ name, before: [0, 1], after: [1, 0] }];
  const kept = async (rows: Parameters<typeof keepLargeSegments>[0]) => {
    const split = keepLargeSegments(rows, keep);
    for (const blob of split.blobs) await pipeline.blobs.put(blob);
    return split.rows;
  };
  await writeReplay(pipeline.store, pipeline.codecs, { run: 'large', replayId: name, groups, made, kept });
  return name;
}

async function readBack(replayId: string): Promise<Trajectory[]> {
  const decode = pipeline.codecs.decoderOf<Trajectory>(trajectorySchema);
  const resolve = createResolveSegments(pipeline.blobs, pipeline.codecs);
  const records = (await pipeline.recordsOf(pipeline.topics.ready)).filter(
    ({ headers }) => headers.replay === replayId,
  );
  const read: Trajectory[] = [];
  for (const { offset, value } of records) {
    if (value === null) throw new Error('a tombstone');
    expect(value.length).toBeLessThan(MOST_RECORD_BYTES);
    const id = schemaIdOf(value);
    await pipeline.codecs.prepare(typeof id === 'number' ? [id] : []);
    const outcome = decode(value);
    if (outcome.kind !== 'ok') throw new Error(outcome.kind);
    read.push(await resolve({ offset, record: value, trajectory: outcome.value }));
  }
  return read;
}

/** Of all their bytes: an assertion on so many would take minutes. */
const hashOf = (segments: readonly SegmentInit[] = []): string => segmentsBlob(segments).ref.sha256;

it('above a record it goes to a blob, which stands in the place of the one it was read from', async () => {
  const segment = tokens(900_000);
  const replayId = await written('above-a-record', segment, true);
  expect(await createEmitReplay(pipeline.deps)(emitArgs(replayId))).toMatchObject({ units: 1, left_out: {} });
  const [first, second] = await readBack(replayId);
  expect(hashOf(first?.segments)).toBe(hashOf([segment]));
  expect(second?.segments[0]?.segment_id).toBe('main');
});

it('above a row it is kept as a blob when the row is written, and emitted by that', async () => {
  const segment = tokens(7_000_000);
  const replayId = await written('above-a-row', segment, true);
  expect(await createEmitReplay(pipeline.deps)(emitArgs(replayId))).toMatchObject({ units: 1, left_out: {} });
  expect(hashOf((await readBack(replayId))[0]?.segments)).toBe(hashOf([segment]));
});

it('what nobody kept, or has removed, is left out by name, and so is what has no folder to go to', async () => {
  const segment = tokens(7_000_000);
  const emitReplay = createEmitReplay(pipeline.deps);
  const never = await written('never-kept', segment, false);
  expect(await emitReplay(emitArgs(never))).toMatchObject({ units: 0, left_out: { segments_not_kept: 1 } });
  const noFolder = await written('no-folder', tokens(900_000), true);
  const without = createEmitReplay({ ...pipeline.deps, blobs: null });
  expect(await without(emitArgs(noFolder))).toMatchObject({ units: 0, left_out: { no_blob_folder: 1 } });
  const removed = await written('removed', segment, true);
  await pipeline.blobs.removeOld(Date.now() + 1e9);
  expect(await emitReplay(emitArgs(removed))).toMatchObject({ units: 0, left_out: { segments_not_kept: 1 } });
  expect(await pipeline.recordsOf(pipeline.topics.ready)).toHaveLength(4);
});
