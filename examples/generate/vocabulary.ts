import { createHash } from 'node:crypto';
import type { Piece } from '../../src/tokenizers/pieces/piece.ts';
import { tableOfPool } from '../../src/tokenizers/pieces/piece-pool.ts';
import { piecePoolOf } from '../../src/tokenizers/pieces/read-piece-pool.ts';
import type { Vocabulary } from '../../src/tokenizers/pieces/vocabulary.ts';
import { createQwen } from './qwen.ts';

/** What the ids in the example rollouts stand for, as a file (src/tokenizers/pieces/vocabulary.ts): they are read without a tokenizer. */
export function generateVocabulary(rollouts: ReadonlyMap<string, string>): string {
  const { tokenizerJson } = createQwen();
  const table = tableOfPool(piecePoolOf({ folder: 'Qwen3', json: JSON.parse(tokenizerJson.toString('utf8')) }));
  const pieces: Record<string, Piece> = {};
  for (const id of [...idsIn(rollouts.values())].sort((a, b) => a - b)) {
    const piece = table.pieceOf(id);
    if (piece === null) throw new Error(`the examples use id ${id}, which Qwen3 does not have`);
    pieces[id] = piece;
  }
  const tokenizer = { sha256: createHash('sha256').update(tokenizerJson).digest('hex'), name: 'Qwen3' };
  const vocabulary: Vocabulary = { tokenizer, pieces };
  return `${JSON.stringify(vocabulary, null, 2)}\n`;
}

/** Lists of numbers under a name such as token_ids or completion_ids. */
function idsIn(texts: Iterable<string>): Set<number> {
  const ids = new Set<number>();
  for (const text of texts)
    for (const [, list = ''] of text.matchAll(/"\w*_ids":\[(\d[\d,]*)\]/g))
      for (const id of list.split(',')) ids.add(Number(id));
  return ids;
}
