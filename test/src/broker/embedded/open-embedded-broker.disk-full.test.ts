import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import { toLogError } from '../../../../src/broker/embedded/to-log-error.ts';

const MIB = 1024 * 1024;
const ALL = { maxBytes: 1e9, maxWaitMs: 0 };

/** A disk that is full needs a disk of its own: a small tmpfs, which only root may mount. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(canMount)('on a disk of 8 MiB (mounted, so only as root)', () => {
  let disk: string;
  beforeEach(async () => {
    disk = await mkdtemp(join(tmpdir(), 'rollstream-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    execFileSync('umount', ['-l', disk]); // lazily: a failed test may still have the log open
    await rm(disk, { recursive: true });
  });

  test('a full disk refuses appends and transactions whole, keeps what was there, and is survived', async () => {
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(3 * MIB));
    const folder = join(disk, 'log');
    let broker = await openEmbeddedBroker({ folder });
    await broker.ensureTopics([{ name: 'steps', partitions: 1, compacted: false }]);
    const producer = await broker.transactional('lane');
    const batch = Array.from({ length: 40 }, () => ({ key: null, value: Buffer.alloc(10_000, 1) }));
    let appended = 0;
    const appendUntilFull = async (): Promise<unknown> => {
      for (;;) {
        try {
          await broker.append('steps', batch);
          appended += batch.length;
        } catch (error) {
          return error;
        }
      }
    };
    expect(await appendUntilFull()).toMatchObject({ code: 'RS_DISK_FULL', retriable: true });
    expect(appended).toBeGreaterThan(0);
    const transaction = {
      records: batch.map((record) => ({ topic: 'steps', record })),
      commit: { group: 'g', topic: 'steps', partition: 0, offset: 7, metadata: '' },
    };
    await expect(producer.run(transaction)).rejects.toMatchObject({ code: 'RS_DISK_FULL' });
    expect(await broker.committed('g', 'steps', 0)).toBeNull();
    expect(await broker.bounds('steps', 0)).toEqual({ start: 0, end: appended });
    expect(await broker.read('steps', 0, 0, ALL)).toHaveLength(appended);

    await rm(ballast);
    await producer.run(transaction);
    appended += batch.length;
    expect(await broker.committed('g', 'steps', 0)).toEqual({ offset: 7, metadata: '' });
    expect(await appendUntilFull()).toMatchObject({ code: 'RS_DISK_FULL' });

    await writeFile(ballast, Buffer.alloc(8 * MIB)).catch(() => undefined); // to the last byte
    await broker.close();
    broker = await openEmbeddedBroker({ folder });
    await expect(broker.append('steps', batch)).rejects.toMatchObject({ code: 'RS_DISK_FULL' });
    execFileSync('mount', ['-o', 'remount,size=16m', disk]);
    await broker.append('steps', batch);
    appended += batch.length;
    const records = await broker.read('steps', 0, 0, ALL);
    expect(records.map(({ offset }) => offset)).toEqual(Array.from({ length: appended }, (_, n) => n));
    await broker.close();
  });

  test('no room for a new log is reported before one is begun', async () => {
    await writeFile(join(disk, 'ballast'), Buffer.alloc(7.5 * MIB));
    await expect(openEmbeddedBroker({ folder: join(disk, 'log') })).rejects.toMatchObject({ code: 'RS_DISK_FULL' });
  });
});

test('a short write counts as a full disk only where the disk is full', async () => {
  const shortWrite = Object.assign(new Error('Input/output error'), { code: 5 });
  expect(await toLogError(shortWrite, tmpdir(), 1000)).toMatchObject({ code: 'RS_LOG_FAILED', cause: shortWrite });
  expect(await toLogError(shortWrite, tmpdir(), 2 ** 60)).toMatchObject({ code: 'RS_DISK_FULL' });
});

test('the reason of a failed commit is taken from the promise that lmdb-js hangs on its error', async () => {
  const reason = Object.assign(new Error('No space left on device'), { code: 28 });
  const failed = Object.assign(new Error('Commit failed'), { commitError: Promise.reject(reason) });
  expect(await toLogError(failed, tmpdir(), 1)).toMatchObject({ code: 'RS_DISK_FULL', cause: reason });
});
