import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Spool } from '../../../clients/typescript/spool.ts';

it('a file that could not be opened holds up nothing that is recorded after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollstream-spool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Each line has a file of its own.
  const spool = new Spool(folder, { maxBytes: 1_000, segmentBytes: 1 });
  const limits = { maxBytes: 1_000, maxLines: 10 };
  const sent = async (): Promise<string | null> => {
    const batch = await spool.next(limits);
    if (batch !== null) spool.answered(batch);
    return batch === null ? null : batch.bytes.toString();
  };
  expect(spool.append('first\n')).toBe(true);
  mkdirSync(join(folder, '000000001.ndjson'));
  expect(() => spool.append('second\n')).toThrow('EISDIR');
  expect(await sent()).toBe('first\n');
  expect(spool.append('third\n')).toBe(true);
  expect(await sent()).toBe('third\n');
  expect(await sent()).toBeNull();
  expect(spool.pendingBytes).toBe(0);
  spool.close();
  expect(readdirSync(folder)).toEqual(['000000001.ndjson', '000000002.ndjson']);
});
