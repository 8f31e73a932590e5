import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as Library, nfcNormalizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import type { Piece, PieceTable } from '../../../../src/tokenizers/pieces/piece.ts';
import { tableOfPool } from '../../../../src/tokenizers/pieces/piece-pool.ts';
import { piecePoolOf, readPiecePool } from '../../../../src/tokenizers/pieces/read-piece-pool.ts';
import { type TokenizerName, tokenizerFolder } from '../tokenizer-folder.ts';

/** Ids by the Python tokenizers (test/oracles/tokenizer_ids.py). */
const oracle: { texts: string[]; ids: Record<string, number[][]> } = JSON.parse(
  readFileSync(packageFile('test/oracles/tokenizer-ids.json'), 'utf8'),
);

/** Of the Unicode that the tokenizers know. */
const nfc = nfcNormalizer();

const bytesOf = (piece: Piece | null): Buffer => {
  if (piece === null) throw new Error('there is no piece');
  return 'text' in piece ? Buffer.from(piece.text) : Buffer.from(piece.bytes, 'hex');
};

const tables = new Map<TokenizerName, Promise<PieceTable>>();
function opened(name: TokenizerName): Promise<PieceTable> {
  const table = tables.get(name) ?? readPiecePool(tokenizerFolder(name)).then(({ pool }) => tableOfPool(pool));
  tables.set(name, table);
  return table;
}

describe.each([
  ['qwen3', true],
  ['qwen2_5', true],
  ['llama3_1', false],
] as const)('the pieces of %s', (name, isNfc) => {
  it('are what the reference decodes each id to; bytes that are no text alone are U+FFFD there', async () => {
    const [table, library] = [await opened(name), Library.fromFile(join(tokenizerFolder(name), 'tokenizer.json'))];
    const size = Object.values(library.getVocab(true)).reduce((above, id) => Math.max(above, id + 1), 0);
    const ids = Array.from({ length: size }, (_, id) => id);
    const decoded = await library.decodeBatch(
      ids.map((id) => [id]),
      false,
    );
    const wrong = ids.filter((id) => {
      const piece = table.pieceOf(id);
      if (piece === null) return library.idToToken(id) !== null;
      return bytesOf(piece).toString('utf8') !== decoded[id] || ('bytes' in piece && !decoded[id]?.includes('\ufffd'));
    });
    expect(size).toBeGreaterThan(128_000);
    expect(wrong).toEqual([]);
    expect(table.pieceOf(size)).toBeNull();
  });

  it('joined are the text, byte for byte', async () => {
    const table = await opened(name);
    const ids = oracle.ids[name] ?? [];
    expect(ids).toHaveLength(oracle.texts.length);
    for (const [at, text] of oracle.texts.entries()) {
      const joined = Buffer.concat((ids[at] ?? []).map((id) => bytesOf(table.pieceOf(id))));
      const expected = isNfc ? nfc.normalizeString(text) : text;
      expect(joined.equals(Buffer.from(expected)), JSON.stringify(text)).toBe(true);
    }
  });
});

it('a piece of a character is bytes, and a special token is marked', async () => {
  const { pieceOf } = await opened('qwen3');
  // A first byte of characters such as €.
  const [lead] = [...Array(256).keys()].filter((id) => JSON.stringify(pieceOf(id)) === '{"bytes":"e2"}');
  expect(lead).toBeDefined();
  expect(pieceOf(151645)).toEqual({ text: '<|im_end|>', special: true });
  // Added and not special.
  expect(pieceOf(151667)).toEqual({ text: '<think>' });
});

/** As Llama 2 and Gemma have it: SentencePiece, with bytes for what is not in the vocabulary. */
const sentencePiece = {
  added_tokens: [
    { id: 0, content: '<unk>', special: true },
    { id: 1, content: '<s>', special: true },
    { id: 10, content: '<tool>', special: false },
  ].map((token) => ({ ...token, single_word: false, lstrip: false, rstrip: false, normalized: false })),
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    byte_fallback: true,
    vocab: {
      '<unk>': 0,
      '<s>': 1,
      '<0x0A>': 2,
      '<0xE2>': 3,
      '<0x82>': 4,
      '<0xAC>': 5,
      '▁the': 6,
      '▁▁': 7,
      é: 8,
      a: 9,
    },
    merges: [],
  },
};

describe('the pieces of SentencePiece', () => {
  const table = () => tableOfPool(piecePoolOf({ folder: 'llama', json: sentencePiece }));

  it('have blanks for ▁ and bytes for <0x..>', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(table().pieceOf)).toEqual([
      ...[{ text: '<unk>', special: true }, { text: '<s>', special: true }, { text: '\n' }],
      ...[{ bytes: 'e2' }, { bytes: '82' }, { bytes: 'ac' }, { text: ' the' }, { text: '  ' }, { text: 'é' }],
      ...[{ text: 'a' }, { text: '<tool>' }, null],
    ]);
  });

  it('joined are what the reference decodes', async () => {
    const library = Library.fromString(JSON.stringify({ version: '1.0', ...sentencePiece }));
    for (const ids of [
      [9, 6, 7, 8],
      [9, 3, 4, 5, 2, 6],
      [9, 10, 6, 1, 2],
    ]) {
      const joined = Buffer.concat(ids.map((id) => bytesOf(table().pieceOf(id)))).toString('utf8');
      expect(joined).toBe(await library.decode(ids, false));
    }
  });

  it('of Unigram stand at their place in the list; Metaspace says what a blank is written as', () => {
    const json = {
      decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
      model: {
        type: 'Unigram',
        vocab: [
          ['<unk>', 0],
          ['▁a', -1.5],
          ['b', -2],
        ],
      },
    };
    const { pieceOf } = tableOfPool(piecePoolOf({ folder: 't5', json }));
    expect([0, 1, 2, 3].map(pieceOf)).toEqual([{ text: '<unk>' }, { text: ' a' }, { text: 'b' }, null]);
  });
});

it('a tokenizer whose pieces depend on what is before them is refused, and so is what is none', () => {
  const refused = (json: Readonly<Record<string, unknown>>) => () => piecePoolOf({ folder: 'folder', json });
  const error = (text: string) =>
    expect.objectContaining({ code: 'RS_TOKENIZER', message: expect.stringContaining(text) });
  const model = { type: 'WordPiece', vocab: { a: 0 } };
  expect(refused({ model, decoder: { type: 'WordPiece', prefix: '##' } })).toThrow(error('WordPiece'));
  expect(refused({ model, decoder: null })).toThrow(error('of no type'));
  expect(refused({ model: {}, decoder: { type: 'ByteLevel' } })).toThrow(error('model.vocab'));
  for (const id of [-1, 1.5, 2 ** 40, '1', null])
    expect(refused({ model: { vocab: { a: id } }, decoder: { type: 'ByteLevel' } })).toThrow(error('the id of "a"'));
});
