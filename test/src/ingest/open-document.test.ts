import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFile } from '../../../src/ingest/file-bytes.ts';
import { ARRAY, type Importer } from '../../../src/ingest/importer.ts';
import { openDocument } from '../../../src/ingest/open-document.ts';
import { peek } from '../../../src/ingest/peek.ts';
import { readDocument } from '../../../src/ingest/read-document.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-document-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const lines: Importer = { name: 'lines', detect: () => null, open: () => ({ take: () => ({ events: [] }) }) };
const paired: Importer = { ...lines, name: 'paired', together: () => ['other.json'] };

async function opened(name: string, text: string, importer: Importer, parts = new Set<string>()) {
  const path = join(folder, name);
  writeFileSync(path, text);
  const bytes = await openFile(path);
  const found = await openDocument({ path, chunks: bytes.chunks, importer, parts });
  await bytes.close();
  return found;
}

it('an array is a record under its own key; the hash is of the bytes of the file', async () => {
  const text = '[\n {"a": 12345678901234567890}\n]\n';
  const found = await opened('array.json', text, lines);
  if (found.kind !== 'document' || 'refused' in found.document.record) throw new Error('no document');
  expect(Object.keys(found.document.record.value)).toEqual([ARRAY]);
  expect(found.document.line.sha256).toBe(createHash('sha256').update(text).digest('hex'));
});

it('one line is a line, unless its format lies in several files', async () => {
  expect((await opened('a.jsonl', '{"a":1}\n', lines)).kind).toBe('lines');
  const parts = new Set<string>();
  writeFileSync(join(folder, 'other.json'), '{"b":\n2}');
  const found = await opened('a.json', '{"a":1}\n', paired, parts);
  if (found.kind !== 'document' || 'refused' in found.document.record) throw new Error('no document');
  expect(found.document.record.value).toEqual({ 'a.json': { a: 1 }, 'other.json': { b: 2 } });
  expect([...parts]).toEqual([resolve(folder, 'other.json')]);
});

it('JSON Lines of such a format are a record a line', async () => {
  expect((await opened('many.jsonl', '{"a":1}\n{"a":2}\n', paired)).kind).toBe('lines');
});

it('a document that is torn says so', async () => {
  const found = await opened('torn.json', '{\n "a": [1, 2', lines);
  expect(found).toMatchObject({ document: { record: { refused: { expected: 'JSON' } } } });
});

it('a document over the limit is read past, and its length and hash are known', async () => {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 10; i++) yield Buffer.alloc(100, 0x20);
  }
  const sha256 = createHash('sha256').update(Buffer.alloc(1000, 0x20)).digest('hex');
  expect(await readDocument(chunks(), 500)).toMatchObject({ bytes: null, length: 1000, sha256 });
});

it('looking at the beginning takes nothing away and no more than it needs', async () => {
  let taken = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const text of ['{"a"', ':1}\n', '\n', '{"a":2}\n', '{"a":3}\n']) {
      taken++;
      yield Buffer.from(text);
    }
  }
  const { head, isOneLine, chunks: all } = await peek(chunks());
  expect([head.toString(), isOneLine, taken]).toEqual(['{"a":1}\n\n{"a":2}\n', false, 4]);
  const whole: Buffer[] = [];
  for await (const chunk of all) whole.push(chunk);
  expect(Buffer.concat(whole).toString()).toBe('{"a":1}\n\n{"a":2}\n{"a":3}\n');
});
