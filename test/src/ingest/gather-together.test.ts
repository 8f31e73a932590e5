import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/ingest/exact-number.ts';
import { openFile } from '../../../src/ingest/file-bytes.ts';
import { gatherTogether } from '../../../src/ingest/gather-together.ts';
import type { Importer } from '../../../src/ingest/importer.ts';
import { readDocument } from '../../../src/ingest/read-document.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-together-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Asks for whatever a document names under `with`. */
const asking: Importer = {
  name: 'asking',
  detect: () => null,
  open: () => ({ take: () => ({ events: [] }) }),
  together: (read) => [...read].flatMap(([name, value]) => namesIn(value).map((one) => join(dirname(name), one))),
};

function namesIn(value: JsonObject): string[] {
  return Array.isArray(value.with) ? value.with.map(String) : [];
}

function write(name: string, value: unknown): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

async function gathered(name: string) {
  const path = join(folder, name);
  const bytes = await openFile(path);
  const { record, files } = await gatherTogether(asking, path, await readDocument(bytes.chunks));
  await bytes.close();
  const value: unknown = JSON.parse(record.bytes?.toString() ?? '');
  if (typeof value !== 'object' || value === null) throw new Error('no object');
  return { record, names: Object.keys(value), files: files.map((file) => file.slice(folder.length + 1)) };
}

it('is the same record whichever of its files was found first', async () => {
  write('trial/result.json', { with: ['agent/a.json'] });
  write('trial/agent/a.json', { with: ['b.json', '../result.json'] });
  write('trial/agent/b.json', { with: ['a.json'], n: 12345678901234567890n.toString() });
  const found = [
    await gathered('trial/result.json'),
    await gathered('trial/agent/a.json'),
    await gathered('trial/agent/b.json'),
  ];
  expect(new Set(found.map(({ record }) => record.sha256)).size).toBe(1);
  expect(found[0]?.names).toEqual(['agent/a.json', 'agent/b.json', 'result.json']);
  expect(found[2]?.files.sort()).toEqual(['trial/agent/a.json', 'trial/agent/b.json', 'trial/result.json']);
});

it('reads nothing that lies elsewhere than below the folder above, no folder, and nothing twice', async () => {
  write('secret.json', { a: 1 });
  write('trial/agent/dir.json/x', 'x');
  write('trial/agent/broken.json', '{"a":');
  write('trial/agent/a.json', {
    with: ['../../secret.json', 'dir.json', 'a.json', './a.json', 'broken.json', 'gone.json'],
  });
  expect((await gathered('trial/agent/a.json')).names).toEqual(['a.json']);
});

it('a mapping that asks without end is asked a bounded number of times', async () => {
  let asked = 0;
  const endless: Importer = { ...asking, together: () => [`${asked++}.json`] };
  write('a.json', { a: 1 });
  const line = { number: 1, offset: 0, bytes: Buffer.from('{"a":1}'), length: 7, sha256: '', ended: true };
  await gatherTogether(endless, join(folder, 'a.json'), line);
  expect(asked).toBeLessThan(2000);
});

it('a link that leads out of the folders is not followed', async () => {
  write('secret.json', { a: 1 });
  write('trial/agent/a.json', { with: ['link.json'] });
  symlinkSync(join(folder, 'secret.json'), join(folder, 'trial/agent/link.json'));
  expect((await gathered('trial/agent/a.json')).names).toEqual(['a.json']);
});
