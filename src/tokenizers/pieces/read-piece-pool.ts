import { join } from 'node:path';
import { RollstreamError } from '../../errors.ts';
import { readTokenizerFolder, type TokenizerFolder } from '../read-tokenizer-folder.ts';
import { type PiecePool, packPieces } from './piece-pool.ts';
import { tokenBytesOf } from './token-bytes-of.ts';

export interface ReadPool {
  readonly sha256: string;
  readonly pool: PiecePool;
}

/** Ten times what the largest tokenizers have. */
const MOST_TOKENS = 1 << 22;

/** The pieces of the tokenizer in a folder. RS_TOKENIZER: what its tokens stand for one by one is not known. */
export async function readPiecePool(folder: string): Promise<ReadPool> {
  const files = await readTokenizerFolder(folder);
  return { sha256: files.sha256, pool: piecePoolOf(files) };
}

export function piecePoolOf({ folder, json }: Pick<TokenizerFolder, 'folder' | 'json'>): PiecePool {
  const refused = (why: string) =>
    new RollstreamError('RS_TOKENIZER', `${join(folder, 'tokenizer.json')}: ${why}`, {
      facts: { folder, file: 'tokenizer.json' },
    });
  const bytesOf = tokenBytesOf(json.decoder);
  if (typeof bytesOf !== 'function')
    throw refused(`${bytesOf.whyNot}; what single tokens stand for is known of byte-level ones and of SentencePiece`);
  const tokens: Array<readonly [id: number, bytes: Uint8Array, isSpecial: boolean]> = [];
  const add = (id: unknown, text: unknown, isSpecial: boolean): void => {
    if (typeof text !== 'string') throw refused('a token without text');
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= MOST_TOKENS)
      throw refused(`the id of ${JSON.stringify(text)} is none`);
    tokens.push([id, bytesOf(text), isSpecial]);
  };
  const vocab: unknown = Object(json.model).vocab;
  // Of Unigram a list, where the place is the id.
  if (Array.isArray(vocab)) for (const [id, entry] of vocab.entries()) add(id, Object(entry)[0], false);
  else if (typeof vocab === 'object' && vocab !== null)
    for (const [text, id] of Object.entries(vocab)) add(id, text, false);
  else throw refused('model.vocab: expected tokens');
  const added = json.added_tokens ?? [];
  if (!Array.isArray(added)) throw refused('added_tokens: expected a list');
  for (const token of added) {
    const { id, content, special } = Object(token);
    add(id, content, special === true);
  }
  return packPieces(tokens);
}
