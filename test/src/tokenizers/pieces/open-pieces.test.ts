import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { openPieces, type Pieces } from '../../../../src/tokenizers/pieces/open-pieces.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollstream-pieces-'));
const opened: Pieces[] = [];
afterAll(async () => {
  for (const pieces of opened) await pieces.close();
  rmSync(folder, { recursive: true });
});

/** SHA-256 of Qwen3's tokenizer.json, as the example rollouts name it. */
const QWEN3 = 'aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4';

function tokenizer(name: string, json: object): { name: string; folder: string; sha256: string } {
  const text = JSON.stringify(json);
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'tokenizer.json'), text);
  return { name, folder: join(folder, name), sha256: createHash('sha256').update(text).digest('hex') };
}

type Folders = ReadonlyArray<{ name: string; folder: string }>;

function open(...folders: Folders): Pieces {
  return openWith(packageFile('examples', 'vocabulary.json'), folders);
}

function openWith(vocabularyFile: string, folders: Folders): Pieces {
  const pieces = openPieces({ folders, vocabularyFile, log: pino({ level: 'silent' }) });
  opened.push(pieces);
  return pieces;
}

const byteLevel = { decoder: { type: 'ByteLevel' }, model: { type: 'BPE', vocab: { a: 0, Ġb: 1 }, merges: [] } };

it('configured tokenizers are read by a thread, the examples from what is shipped', async () => {
  const own = tokenizer('own', byteLevel);
  const pieces = open(own);
  expect(await pieces.list()).toEqual([
    { sha256: own.sha256, name: 'own', source: 'configured' },
    { sha256: QWEN3, name: 'Qwen3', source: 'examples' },
  ]);
  const found = await pieces.open(own.sha256);
  expect(found?.tokenizer.name).toBe('own');
  expect([0, 1, 2].map((id) => found?.table.pieceOf(id))).toEqual([{ text: 'a' }, { text: ' b' }, null]);
  expect((await pieces.open(QWEN3))?.table.pieceOf(151645)).toEqual({ text: '<|im_end|>', special: true });
  expect((await pieces.open(QWEN3))?.table.pieceOf(0)).toBeNull();
});

it('is read once, however many ask', async () => {
  const own = tokenizer('once', byteLevel);
  const pieces = open(own);
  const [one, two] = await Promise.all([pieces.open(own.sha256), pieces.open(own.sha256)]);
  rmSync(own.folder, { recursive: true });
  expect(one?.table).toBe(two?.table);
  expect((await pieces.open(own.sha256))?.table).toBe(one?.table);
});

it('one that is not known here is null; what is no hash is none', async () => {
  for (const sha256 of ['0'.repeat(64), '', 'toString']) expect(await open().open(sha256)).toBeNull();
});

it('a folder or file that cannot be read takes nothing from the others', async () => {
  const own = tokenizer('beside', byteLevel);
  const pieces = open({ name: 'gone', folder: join(folder, 'gone') }, own);
  expect((await pieces.list()).map(({ name }) => name)).toEqual(['beside', 'Qwen3']);
  expect((await openWith(join(folder, 'gone.json'), [own]).list()).map(({ name }) => name)).toEqual(['beside']);
});

it('one that was changed since is not taken for what it was', async () => {
  const own = tokenizer('changed', byteLevel);
  const pieces = open(own);
  await pieces.list();
  writeFileSync(join(own.folder, 'tokenizer.json'), JSON.stringify({ ...byteLevel, version: '1.0' }));
  await expect(pieces.open(own.sha256)).rejects.toMatchObject({ code: 'RS_TOKENIZER' });
});

it('one whose pieces cannot be told says why, each time', async () => {
  const own = tokenizer('words', { decoder: { type: 'WordPiece' }, model: { type: 'WordPiece', vocab: { a: 0 } } });
  const pieces = open(own);
  for (let n = 0; n < 2; n++)
    await expect(pieces.open(own.sha256)).rejects.toMatchObject({
      code: 'RS_TOKENIZER',
      message: expect.stringContaining('its decoder has a part WordPiece'),
    });
});

it('closing ends what is being read', async () => {
  const own = tokenizer('closed', byteLevel);
  const pieces = open(own);
  await pieces.list();
  const reading = pieces.open(own.sha256);
  const ended = expect(reading).rejects.toMatchObject({ code: 'RS_CLOSED' });
  await pieces.close();
  await ended;
});
