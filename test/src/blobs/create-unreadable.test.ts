import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BlobName } from '../../../src/blobs/blob-store.ts';
import { createUnreadable } from '../../../src/blobs/create-unreadable.ts';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';
import { segmentsBlob } from '../../../src/blobs/segments-blob.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';

const blobOf = (forkAt: number) =>
  segmentsBlob(sampleTrajectory().segments.map((segment) => ({ ...segment, fork_at: forkAt })));

it('names what is missing or damaged by its offset, and nothing of what is whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-unreadable-'));
  const blobs = openBlobFolder(folder);
  const [whole, damaged, missing] = [blobOf(1), blobOf(2), blobOf(3)];
  for (const { blob } of [whole, damaged]) await blobs.put(blob);
  const path = join(folder, damaged.ref.sha256.slice(0, 2), damaged.ref.sha256);
  const flipped = Buffer.from(damaged.blob.bytes);
  flipped.writeUInt8(flipped.readUInt8(9) ^ 1, 9);
  await writeFile(path, flipped);
  const refs = new Map<number, BlobName>([
    [4, whole.ref],
    [7, damaged.ref],
    [9, missing.ref],
    [10, { sha256: '../secret', length: 1 }],
    [11, { ...whole.ref, length: whole.ref.length + 1 }],
  ]);
  expect(await createUnreadable(blobs)(refs)).toEqual(
    new Map([
      [7, 'blob_damaged'],
      [9, 'blob_missing'],
      [10, 'blob_missing'],
      [11, 'blob_damaged'],
    ]),
  );
  await rm(folder, { recursive: true });
});

it('without a folder nothing is given up: what would help is said', async () => {
  const needed = { code: 'RS_CONFIG', facts: { field: 'blobs.folder' } };
  const refs = new Map([[4, { sha256: '0'.repeat(64), length: 1 }]]);
  await expect(createUnreadable(null)(refs)).rejects.toMatchObject(needed);
  expect(await createUnreadable(null)(new Map())).toEqual(new Map());
});
