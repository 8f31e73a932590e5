import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { BlobStore } from '../../../src/blobs/blob-store.ts';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';
import { startBlobRemoval } from '../../../src/blobs/start-blob-removal.ts';
import { RollstreamError } from '../../../src/errors.ts';

const DAY_MS = 86_400_000;

it('removes by age at once and once a day, whatever went wrong the day before, until it is closed', async () => {
  const asked: number[] = [];
  const blobs: BlobStore = {
    ...openBlobFolder('/nowhere'),
    async removeOld(beforeMs) {
      asked.push(beforeMs);
      if (asked.length === 1) throw new RollstreamError('RS_STORE_UNREACHABLE', 'not mounted');
      return 1;
    },
  };
  let nowMs = 100 * DAY_MS;
  let onThird: () => void = () => undefined;
  const third = new Promise<void>((resolve) => {
    onThird = resolve;
  });
  const removal = startBlobRemoval({
    ...{ blobs, retentionMs: 30 * DAY_MS, log: pino({ level: 'silent' }), now: () => nowMs },
    async sleep(ms, wakeUp) {
      nowMs += ms;
      if (asked.length < 3) return;
      onThird();
      await new Promise<void>((resolve) => {
        if (wakeUp.aborted) resolve();
        wakeUp.addEventListener('abort', () => resolve());
      });
    },
  });
  await third;
  await removal.close();
  expect(asked).toEqual([70 * DAY_MS, 71 * DAY_MS, 72 * DAY_MS]);
});
