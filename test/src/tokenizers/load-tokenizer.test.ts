import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type LoadedTokenizer, loadTokenizer } from '../../../src/tokenizers/load-tokenizer.ts';
import { TOKENIZER_NAMES, tokenizerFolder } from './tokenizer-folder.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const textOf = (tokenizer: LoadedTokenizer, ids: readonly number[]) =>
  Buffer.from(tokenizer.decode(Uint32Array.from(ids), 0, ids.length)).toString('utf8');

describe('loadTokenizer', () => {
  it.each(TOKENIZER_NAMES)('%s: encodes, decodes and knows its special tokens', async (name) => {
    const tokenizer = await loadTokenizer(tokenizerFolder(name));
    // Measured with the original tokenizers (cases 1 and 13).
    const [sampled, encoded] =
      name === 'llama3_1'
        ? [
            [39, 84822],
            [73339, 1753],
          ]
        : [
            [39, 83722],
            [72239, 1718],
          ];
    expect(textOf(tokenizer, sampled)).toBe('HAVING');
    expect([...tokenizer.encode('HAVING')]).toEqual(encoded);
    expect(tokenizer.eosIds).toEqual([name === 'llama3_1' ? 128009 : 151645]);
    expect(tokenizer.bosId).toBe(name === 'llama3_1' ? 128000 : null);
    expect(tokenizer.templateSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(tokenizer.has(tokenizer.size - 1)).toBe(true);
    expect(tokenizer.has(tokenizer.size)).toBe(false);
    expect(() => tokenizer.decode(Uint32Array.of(999_999), 0, 1)).toThrow('999999');
    tokenizer.close();
  });

  it('hashes the bytes of tokenizer.json', async () => {
    const tokenizer = await loadTokenizer(tokenizerFolder('qwen3'));
    expect(tokenizer.sha256).toBe('aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4');
    expect(tokenizer.size).toBe(151_669);
  });

  it.each([
    ['a folder that is not there', null, 'RS_FILE_UNREADABLE', 'no such folder'],
    ['a folder without tokenizer.json', {}, 'RS_FILE_UNREADABLE', 'no tokenizer.json'],
    [
      'a tokenizer.json that is cut off',
      { 'tokenizer.json': '{"version": "1.0", "mod' },
      'RS_INPUT_REFUSED',
      'cut off',
    ],
    ['a tokenizer.json that is a list', { 'tokenizer.json': '[]' }, 'RS_INPUT_REFUSED', 'JSON object'],
    [
      'a tokenizer.json that is something else',
      { 'tokenizer.json': '{"a": 1}' },
      'RS_INPUT_REFUSED',
      'expected a tokenizer',
    ],
    [
      'an added token without an id',
      { 'tokenizer.json': '{"added_tokens": [{"content": "<x>"}]}' },
      'RS_INPUT_REFUSED',
      'added_tokens[0].id',
    ],
  ])('refuses %s, naming it', async (_, files, code, message) => {
    const folder = files === null ? join(tmpdir(), 'there-is-no-such-tokenizer') : await folderWith(files);
    const refused = loadTokenizer(folder);
    await expect(refused).rejects.toMatchObject({ name: 'RollstreamError', code });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(folder);
  });
});
