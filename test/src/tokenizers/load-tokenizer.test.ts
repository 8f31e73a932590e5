import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer as Library } from 'tokenizers';
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
    ['a tokenizer.json that is cut off', { 'tokenizer.json': '{"version": "1.0", "mod' }, 'RS_TOKENIZER', 'cut off'],
    ['a tokenizer.json that is a list', { 'tokenizer.json': '[]' }, 'RS_TOKENIZER', 'JSON object'],
    [
      'a tokenizer.json that is something else',
      { 'tokenizer.json': '{"a": 1}' },
      'RS_TOKENIZER',
      'expected a tokenizer',
    ],
    [
      'an added token without an id',
      { 'tokenizer.json': '{"added_tokens": [{"content": "<x>"}]}' },
      'RS_TOKENIZER',
      'added_tokens[0].id',
    ],
  ])('refuses %s, naming it', async (_, files, code, message) => {
    const folder = files === null ? join(tmpdir(), 'there-is-no-such-tokenizer') : await folderWith(files);
    const refused = loadTokenizer(folder);
    await expect(refused).rejects.toMatchObject({ name: 'RollstreamError', code });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(folder);
  });

  it.each(TOKENIZER_NAMES)('%s: decodes every id as the library does', async (name) => {
    const tokenizer = await loadTokenizer(tokenizerFolder(name));
    const library = Library.fromFile(join(tokenizerFolder(name), 'tokenizer.json'));
    const ids = Array.from({ length: tokenizer.size }, (_, id) => id).filter(tokenizer.has);
    expect(ids.length).toBe(library.getVocabSize(true));
    // By thousands, since a token may hold part of a character.
    for (let from = 0; from < ids.length; from += 1000) {
      const some = ids.slice(from, from + 1000);
      expect(textOf(tokenizer, some)).toBe(await library.decode(some, false));
    }
  });

  it('takes the template named default, or the file beside; end tokens of the generation too (case 17)', async () => {
    const model = { type: 'WordLevel', vocab: { a: 0, b: 1 }, unk_token: 'a' };
    const added = {
      id: 2,
      content: '<end>',
      special: true,
      normalized: false,
      lstrip: false,
      rstrip: false,
      single_word: false,
    };
    const files = {
      'tokenizer.json': JSON.stringify({ version: '1.0', added_tokens: [added], model }),
      'tokenizer_config.json': JSON.stringify({
        eos_token: { content: '<end>' },
        chat_template: [
          { name: 'rag', template: 'other' },
          { name: 'default', template: 'this' },
        ],
      }),
      'generation_config.json': '{"eos_token_id": [2, 1]}',
    };
    const tokenizer = await loadTokenizer(await folderWith(files));
    expect(tokenizer).toMatchObject({ templateText: 'this', eosIds: [2, 1], eosToken: '<end>', bosToken: null });
    const beside = { 'tokenizer.json': files['tokenizer.json'], 'chat_template.jinja': 'beside' };
    expect(await loadTokenizer(await folderWith(beside))).toMatchObject({
      templateText: 'beside',
      eosIds: [],
      config: {},
    });
    expect(await loadTokenizer(await folderWith({ 'tokenizer.json': files['tokenizer.json'] }))).toMatchObject({
      templateText: null,
      templateSha256: null,
    });
  });

  it('leaves a pipeline that is not known exactly to the library, whole, and says why', async () => {
    const json = JSON.parse(await readFile(join(tokenizerFolder('qwen2_5'), 'tokenizer.json'), 'utf8'));
    json.pre_tokenizer.pretokenizers[0].pattern.Regex = '\\p{L}+|\\P{L}';
    const tokenizer = await loadTokenizer(await folderWith({ 'tokenizer.json': JSON.stringify(json) }));
    expect(tokenizer.path).toBe('library');
    expect(tokenizer.whyNotFast).toContain('pattern');
    const library = Library.fromString(JSON.stringify(json));
    for (const text of ['HAVING fun\n\n  12', 'caf\u0065\u0301', '\ud83d', 'a<|im_end|>b', '']) {
      const expected = await library.encode(text, null, { addSpecialTokens: false });
      expect([...tokenizer.encode(text)]).toEqual(expected.getIds());
    }
    expect(textOf(tokenizer, [72239, 1718])).toBe('HAVING');
    expect(() => tokenizer.encode('a'.repeat(4_000_001))).toThrow(RangeError);
    tokenizer.close();
  });
});
