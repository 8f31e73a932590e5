import type { Piece } from '../../../../src/tokenizers/pieces/piece.ts';
import { shownParts } from '../../parts/untrusted-text.tsx';
import type { PieceOf } from './call-text.ts';

/** A token as characters that can be seen: blanks, line ends and bytes that are no text by themselves are named. */
export function tokenText(piece: Piece | null | undefined): string {
  if (piece === undefined) return '';
  if (piece === null) return '∅';
  if ('bytes' in piece) return `⟨${piece.bytes.replace(/..(?=.)/g, '$& ')}⟩`;
  const shown = shownParts(piece.text).map(({ kind, text }) => (kind === 'text' ? text : `[${text}]`));
  return shown.join('').replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '⇥');
}

/** Ids with their texts, in a line: some of them are marked. */
export function TokenList({
  ids,
  pieceOf,
  marked,
}: {
  readonly ids: readonly number[];
  readonly pieceOf: PieceOf;
  readonly marked: (at: number) => boolean;
}) {
  if (ids.length === 0) return <span class="faint">no tokens</span>;
  return (
    <span class="token-list">
      {ids.map((id, at) => (
        <span key={at} class={marked(at) ? 'token-chip marked' : 'token-chip'}>
          <bdi>{tokenText(pieceOf(id))}</bdi>
          <small>{id}</small>
        </span>
      ))}
    </span>
  );
}
