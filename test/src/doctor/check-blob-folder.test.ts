import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { checkBlobFolder } from '../../../src/doctor/check-blob-folder.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-doctor-blobs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const KAFKA = {
  ROLLSTREAM_KAFKA_BROKERS: 'kafka-1:9092',
  ROLLSTREAM_REGISTRY_URL: 'http://registry:8081',
  ROLLSTREAM_CLICKHOUSE_URL: 'http://clickhouse:8123',
};
const check = (env: Record<string, string>) => checkBlobFolder(loadConfig({ flags: {}, env, cwd: folder }));

it('a folder of blobs that is named must be there, and is left as it was', async () => {
  expect(await check({ ROLLSTREAM_BLOBS_FOLDER: folder })).toMatchObject([{ status: 'ok', fix: '' }]);
  expect(readdirSync(folder)).toEqual([]);
  const nowhere = join(folder, 'nowhere');
  expect(await check({ ROLLSTREAM_BLOBS_FOLDER: nowhere })).toMatchObject([
    { status: 'fail', detail: `${nowhere} does not exist` },
  ]);
  expect(await check({})).toMatchObject([{ status: 'ok', fix: '' }]);
});

it('on Kafka there may be none; blobs that go before the records that name them are warned of', async () => {
  expect(await check(KAFKA)).toEqual([]);
  const named = { ...KAFKA, ROLLSTREAM_BLOBS_FOLDER: folder };
  expect(await check({ ...named, ROLLSTREAM_BLOBS_RETENTION: '3650d' })).toMatchObject([{ status: 'ok', fix: '' }]);
  expect(await check({ ...named, ROLLSTREAM_BLOBS_RETENTION: '1h' })).toMatchObject([
    { status: 'ok', fix: expect.stringMatching(/^set blobs\.retention to \d+h or more$/) },
  ]);
});
