import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import type { ResolveSegments } from '../../../src/blobs/create-resolve-segments.ts';
import type { LeasedBatch } from '../../../src/delivery/delivery.ts';
import { RollstreamError } from '../../../src/errors.ts';
import { type Codecs, createCodecs, type Encode } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';
import { sampleBatch } from './sample-batch.ts';
import { deliveryApp, scriptedDelivery } from './scripted-delivery.ts';

let folder = '';
let codecs: Codecs;
let encode: Encode<Trajectory>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-batch-'));
  codecs = createCodecs(await openLocalRegistry({ folder }));
  encode = await codecs.encoderOf<Trajectory>('trajectories.ready-value', trajectorySchema);
});
afterAll(() => rmSync(folder, { recursive: true }));

const HEAD = {
  lease: '3.ab12.17',
  run: 'r',
  lineage: 3,
  batch_index: 5,
  try: 1,
  unit: 'group',
  deadline: '2026-01-01T12:00:00.000Z',
  version: 'w9',
  shard: null,
  entries: [
    {
      offset: 40,
      unit: 'r/0/g/sums',
      rollout_id: 'sum-0',
      attempt: 0,
      size: 2,
      tokens: 3,
      deliveries: 2,
      lag: 2,
      ready_at: '2026-01-01T11:00:00.000Z',
    },
    {
      offset: 41,
      unit: 'r/0/g/sums',
      rollout_id: 'sum-1',
      attempt: 0,
      size: 2,
      tokens: 3,
      deliveries: 2,
      lag: null,
      ready_at: '2026-01-01T11:00:00.000Z',
    },
  ],
  offsets: [40, 41],
  micro_batches: [[0, 1]],
};

function leased(
  batch: LeasedBatch,
  accept?: string,
  resolve?: ResolveSegments,
  over: { readonly codecs?: Codecs } = {},
): Promise<Response> {
  const app = deliveryApp(scriptedDelivery({ lease: async () => batch }).delivery, {
    codecs,
    ...(resolve && { resolve }),
    ...over,
  });
  const body = JSON.stringify({ run: 'r', consumer: 'trainer-0', batch_index: 5, try: 1, count: 1 });
  const headers = new Headers(accept === undefined ? [] : [['accept', accept]]);
  return Promise.resolve(app.request('/v1/leases', { method: 'POST', body, headers }));
}

/** Of the event loop, until it holds. */
async function rounds(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

/** Each behind its length, little-endian. */
function unframed(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}

const PACKED = 'application/vnd.rollstream.batch';

describe('a batch as JSON', () => {
  it('has its head, and its trajectories unpacked in the order of its entries', async () => {
    const records = ['sum-0', 'sum-1'].map((rollout_id) => encode(sampleTrajectory({ rollout_id })));
    const response = await leased(sampleBatch(records));
    expect(response.headers.get('content-type')).toBe('application/json');
    const { trajectories, ...head } = JSON.parse(await response.text());
    expect(head).toEqual(HEAD);
    expect(trajectories).toMatchObject([
      { rollout_id: 'sum-0', segments: [{ token_ids: [1, 151_645, 4_294_967_295], sampled_mask: [0, 1, 1] }] },
      { rollout_id: 'sum-1', task_metadata: '{"id":12345678901234567890}' },
    ]);
  });

  it('names the rank that a shard is for', async () => {
    const batch = sampleBatch([encode(sampleTrajectory())], { key: ['step', 9, 0], dp: 4, rank: 2 });
    expect(await (await leased(batch)).json()).toMatchObject({ batch_index: 9, shard: { rank: 2, dp_size: 4 } });
  });

  it('has token data that went to a blob; where it is gone, an error that names the record', async () => {
    const records = [encode(sampleTrajectory())];
    const whole = sampleTrajectory({ rollout_id: 'put back' });
    const response = await leased(sampleBatch(records), undefined, async ({ offset, record }) => {
      expect([offset, record]).toEqual([40, records[0]]);
      return whole;
    });
    expect(await response.json()).toMatchObject({ trajectories: [{ rollout_id: 'put back' }] });
    const gone = await leased(sampleBatch(records), undefined, () =>
      Promise.reject(new RollstreamError('RS_BLOB_DAMAGED', 'it is gone', { facts: { record: 40 } })),
    );
    expect([gone.status, await gone.json()]).toMatchObject([500, { error: { code: 'RS_BLOB_DAMAGED', record: 40 } }]);
  });

  it('of more than a piece is an error as a whole where the blob of its last is damaged', async () => {
    const large = { task_metadata: JSON.stringify('x'.repeat(2 ** 21)) };
    const ref = { uri: 'blob:a', sha256: 'a', length: 1 };
    const records = [large, large, { segments: [], segments_ref: ref }].map((over) => encode(sampleTrajectory(over)));
    const response = await leased(sampleBatch(records), undefined, async ({ offset, trajectory }) => {
      if (trajectory.segments_ref === null) return trajectory;
      throw new RollstreamError('RS_BLOB_DAMAGED', 'it is damaged', { facts: { record: offset } });
    });
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { code: 'RS_BLOB_DAMAGED', record: 42 } },
    ]);
  });

  it('is decoded to be checked, and once more only as far as it is read', async () => {
    let decoded = 0;
    const counting: typeof codecs = {
      ...codecs,
      decoderOf<Value>(schema: Parameters<Codecs['decoderOf']>[0]) {
        const decode = codecs.decoderOf<Value>(schema);
        return (record) => {
          decoded += 1;
          return decode(record);
        };
      },
    };
    const large = encode(sampleTrajectory({ task_metadata: JSON.stringify('x'.repeat(2 ** 20)) }));
    const batch = sampleBatch(Array.from({ length: 20 }, () => large));
    const response = await leased(batch, undefined, undefined, { codecs: counting });
    // Two pieces, of a record each.
    expect(decoded).toBe(22);
    const { trajectories } = JSON.parse(await response.text());
    expect([trajectories.length, decoded]).toEqual([20, 40]);
  });

  it('begins beside one other; who waits for that and goes away gives back what nobody else can ask for', async () => {
    const blob = { segments: [], segments_ref: { uri: 'blob:a', sha256: 'a', length: 1 } };
    const batch = sampleBatch([encode(sampleTrajectory(blob))]);
    const begun: (() => void)[] = [];
    const resolve: ResolveSegments = async ({ trajectory }) => {
      await new Promise<void>((go) => begun.push(go));
      return { ...trajectory, segments_ref: null };
    };
    const released: string[] = [];
    let asked = 0;
    const delivery = scriptedDelivery({
      lease: async () => {
        asked += 1;
        return sampleBatch(batch.records, { lease: `1.a.${asked}` });
      },
      release: async (id) => void released.push(id),
    });
    const app = deliveryApp(delivery.delivery, { codecs, resolve });
    const gone = new AbortController();
    const body = JSON.stringify({ run: 'r', consumer: 'trainer-0', count: 1 });
    const ask = (signal?: AbortSignal) =>
      Promise.resolve(app.request('/v1/leases', { method: 'POST', body, ...(signal && { signal }) }));
    const first = [ask(), ask()];
    await rounds(() => begun.length === 2);
    const third = ask(gone.signal);
    await rounds(() => asked === 3);
    gone.abort();
    await third;
    await rounds(() => released.length === 1);
    expect([begun.length, released]).toEqual([2, ['1.a.3']]);
    // Checked, then sent.
    for (let sent = 0; sent < 4; sent += 1) {
      await rounds(() => begun.length > 0);
      begun.shift()?.();
    }
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('is an error that names the record where one cannot be read, and not half an answer', async () => {
    const response = await leased(sampleBatch([encode(sampleTrajectory()), Buffer.from('garbage')]));
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { error: { code: 'RS_INPUT_REFUSED', record: 41 } },
    ]);
  });
});

describe('a packed batch', () => {
  it('is its head and its records as they are on the topic, each behind its length', async () => {
    const records = [encode(sampleTrajectory()), encode(sampleTrajectory({ rollout_id: 'other' }))];
    const response = await leased(sampleBatch(records), `${PACKED}, application/json;q=0.5`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe(PACKED);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const [head, ...rest] = unframed(bytes);
    expect(JSON.parse(String(head))).toEqual(HEAD);
    expect(rest).toEqual(records);
  });

  it('of more than a piece, and of records larger than one, arrives whole', async () => {
    const records = [3, 2 ** 21 + 1, 0, 2 ** 20, 700_000, 700_000].map((length, byte) => Buffer.alloc(length, byte));
    const response = await leased(sampleBatch(records), PACKED);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const [, ...rest] = unframed(bytes);
    expect(rest.map(({ length }) => length)).toEqual(records.map(({ length }) => length));
    expect(rest.every((record, index) => record.equals(records[index] ?? Buffer.alloc(1)))).toBe(true);
  });

  it('"not enough" is JSON whatever was asked for', async () => {
    const app = deliveryApp(scriptedDelivery().delivery, { codecs });
    const body = JSON.stringify({ run: 'r', consumer: 'trainer-0', count: 1 });
    const response = await app.request('/v1/leases', { method: 'POST', body, headers: { accept: PACKED } });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ lease: null, again: true, lineage: null, batch_index: null, try: null });
  });
});
