import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';

/** Of the text abc: FIPS 180-2, appendix B.1. */
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const NEVER_WRITTEN = '0'.repeat(64);
const DAY_MS = 86_400_000;

let parent: string;
let root: string;
let blobs: BlobStore;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'rollstream-blobs-'));
  root = join(parent, 'deep', 'blobs');
  blobs = openBlobFolder(root);
});
afterEach(() => rm(parent, { recursive: true }));

const put = () => blobs.put({ sha256: ABC, bytes: Buffer.from('abc') });
const file = () => join(root, 'ba', ABC);
const writtenAt = (ms: number) => utimes(file(), new Date(ms), new Date(ms));

it('keeps bytes under the first two digits and their SHA-256, and nothing else beside them', async () => {
  await put();
  expect(await readFile(file(), 'utf8')).toBe('abc');
  expect(await readdir(join(root, 'ba'))).toEqual([ABC]);
  expect(await blobs.read(ABC)).toEqual(Buffer.from('abc'));
  expect(await blobs.faultOf({ sha256: ABC, length: 3 })).toBeNull();
});

it('streams them, and says first how many they are', async () => {
  const bytes = Buffer.alloc(3 * 2 ** 20 + 5, 7);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await blobs.put({ sha256, bytes });
  const found = await blobs.stream(sha256);
  if (typeof found === 'string') throw new Error(found);
  expect(found.length).toBe(bytes.length);
  expect((await buffer(found.body)).equals(bytes)).toBe(true);
});

it('the same again is the same, also by many at once', async () => {
  await Promise.all([put(), put(), put()]);
  await put();
  expect(await readdir(join(root, 'ba'))).toEqual([ABC]);
});

it('a byte that changed is found, and written over by the same blob', async () => {
  await put();
  await writeFile(file(), 'abd');
  expect(await blobs.read(ABC)).toBe('blob_damaged');
  expect(await blobs.stream(ABC)).toBe('blob_damaged');
  expect(await blobs.faultOf({ sha256: ABC, length: 3 })).toBe('blob_damaged');
  await put();
  expect(await blobs.read(ABC)).toEqual(Buffer.from('abc'));
});

it('what is there in another length than its reference says is damaged', async () => {
  await put();
  expect(await blobs.faultOf({ sha256: ABC, length: 4 })).toBe('blob_damaged');
});

it('what was never written is missing', async () => {
  await put();
  expect(await blobs.read(NEVER_WRITTEN)).toBe('blob_missing');
  expect(await blobs.stream(NEVER_WRITTEN)).toBe('blob_missing');
  expect(await blobs.faultOf({ sha256: NEVER_WRITTEN, length: 3 })).toBe('blob_missing');
});

it('in a folder that is not mounted nothing is missing: that is an outage', async () => {
  const outage = { code: 'RS_STORE_UNREACHABLE', retriable: true };
  await expect(blobs.read(ABC)).rejects.toMatchObject(outage);
  await mkdir(root, { recursive: true });
  await expect(blobs.read(ABC)).rejects.toMatchObject(outage);
  await expect(blobs.faultOf({ sha256: ABC, length: 3 })).rejects.toMatchObject(outage);
});

it('a folder that is taken away and comes back is written to again', async () => {
  await put();
  await rm(root, { recursive: true });
  await put().catch(() => undefined);
  await put();
  expect(await blobs.read(ABC)).toEqual(Buffer.from('abc'));
});

it('a path that is no folder is a mistake in the configuration', async () => {
  await mkdir(join(parent, 'deep'));
  await writeFile(root, '');
  await expect(put()).rejects.toMatchObject({ code: 'RS_CONFIG', facts: { field: 'blobs.folder' } });
});

it('a name that is no SHA-256 never reaches the file system', async () => {
  for (const name of ['', '../../etc/passwd', ABC.toUpperCase(), `${ABC}0`])
    await expect(blobs.read(name)).rejects.toThrow('not a SHA-256');
});

it('removes what was last written before a moment, and nothing that was written again since', async () => {
  await put();
  await writtenAt(10 * DAY_MS);
  expect(await blobs.removeOld(10 * DAY_MS)).toBe(0);
  expect(await blobs.removeOld(10 * DAY_MS + 1)).toBe(1);
  expect(await blobs.read(ABC)).toBe('blob_missing');
  await put();
  await writtenAt(10 * DAY_MS);
  await put();
  expect(await blobs.removeOld(Date.now() - DAY_MS)).toBe(0);
});

it('removes old drafts that nobody finished; young ones and the files of others stay', async () => {
  await put();
  const draft = (name: string) => join(root, 'ba', `${ABC}.${name}.part`);
  await writeFile(draft('old'), 'a');
  await utimes(draft('old'), new Date(DAY_MS), new Date(DAY_MS));
  await writeFile(draft('young'), 'a');
  await writeFile(join(root, 'ba', 'notes'), '');
  await utimes(join(root, 'ba', 'notes'), new Date(0), new Date(0));
  await blobs.removeOld(Date.now() - DAY_MS);
  expect((await readdir(join(root, 'ba'))).sort()).toEqual([ABC, `${ABC}.young.part`, 'notes'].sort());
});

it('removing looks for nothing where nothing was ever written', async () => {
  expect(await blobs.removeOld(Date.now())).toBe(0);
  expect(existsSync(root)).toBe(false);
});
