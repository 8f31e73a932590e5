import { describe, expect, it } from 'vitest';
import { decodedText, type PieceOf, tokenAt } from '../../../../../web/src/pages/rollout/call-text.ts';

// 日 is e6 97 a5, sampled as two tokens; 😀 is one character of four bytes, and two of JavaScript.
const PIECES: Readonly<Record<number, ReturnType<PieceOf>>> = {
  1: { text: 'ab' },
  2: { bytes: 'e697' },
  3: { bytes: 'a5' },
  4: { text: '😀' },
  5: { text: '\ufeff' },
  6: null,
};
const pieceOf: PieceOf = (id) => PIECES[id];

describe('the text of a run of tokens', () => {
  it('joins characters that several tokens make, and knows where each token begins', () => {
    const decoded = decodedText([9, 1, 2, 3, 4, 1], 1, 6, pieceOf);
    expect(decoded?.text).toBe('ab日😀ab');
    expect([...(decoded?.starts ?? [])]).toEqual([0, 2, 2, 3, 5, 7]);
  });

  it('leads from a character to its token, and from a joined one to the token that completes it', () => {
    const decoded = decodedText([1, 2, 3, 4, 1], 0, 5, pieceOf);
    if (decoded === null) throw new Error('it has text');
    expect([0, 1, 2, 3, 4, 5, 99].map((at) => tokenAt(decoded, at))).toEqual([0, 0, 2, 3, 3, 4, 4]);
  });

  it('keeps a byte order mark, and shows a character that never ends as a replacement', () => {
    expect(decodedText([5, 1, 2], 0, 3, pieceOf)?.text).toBe('\ufeffab\ufffd');
  });

  it('says nothing where an id has no text', () => {
    expect(decodedText([1, 6], 0, 2, pieceOf)).toBeNull();
    expect(decodedText([1, 77], 0, 2, pieceOf)).toBeNull();
  });
});
