import type { PieceOf } from './call-text.ts';
import type { FlatTokens } from './flat-tokens.ts';
import { tokenText } from './token-text.tsx';

/** What stands below the text of a token. */
export const BELOW = ['id', 'logprob', 'probability', 'nothing'] as const;
export type Below = (typeof BELOW)[number];

/** How tokens are drawn. */
export interface TokenLooks {
  readonly textOf: (position: number) => string;
  readonly below: Below;
  /** fail or warn, where a finding is pinned. */
  readonly pinnedAt: ReadonlyMap<number, 'fail' | 'warn'>;
}

/** Upper ends of the probabilities of each shade, from the surest on. */
export const SHADES: ReadonlyArray<{ readonly least: number; readonly words: string }> = [
  { least: 0.95, words: '95 % or more' },
  { least: 0.75, words: '75 to 95 %' },
  { least: 0.5, words: '50 to 75 %' },
  { least: 0.2, words: '20 to 50 %' },
  { least: 0.05, words: '5 to 20 %' },
  { least: 0.01, words: '1 to 5 %' },
  { least: 0, words: 'below 1 %' },
];

/** null: it has no logprob. */
export function shadeOf(logprob: number): number | null {
  if (Number.isNaN(logprob)) return null;
  const probability = Math.exp(logprob);
  return SHADES.findIndex(({ least }) => probability >= least);
}

const MOST_COLUMNS = 28;
/** Edges and gap of a box, in columns. */
const EDGES = 1.6;
/** The line below is smaller. */
const SMALL = 0.75;

export function belowText(flat: FlatTokens, position: number, below: Below): string {
  if (below === 'id') return String(flat.ids[position]);
  const logprob = flat.logprobs[position] ?? Number.NaN;
  if (below === 'nothing' || Number.isNaN(logprob)) return '';
  return below === 'logprob' ? logprob.toFixed(2) : `${(Math.exp(logprob) * 100).toFixed(0)} %`;
}

/** Columns of a token, from what is drawn: widths by id are kept, since most ids come again. */
export function widthsOf(flat: FlatTokens, pieceOf: PieceOf, below: Below): (position: number) => number {
  const texts = new Map<number, number>();
  return (position) => {
    const id = flat.ids[position] ?? 0;
    let width = texts.get(id);
    if (width === undefined) {
      const text = tokenText(pieceOf(id));
      width = columnsOf(text === '' ? String(id) : text);
      texts.set(id, width);
    }
    return Math.min(MOST_COLUMNS, Math.max(1, width, belowText(flat, position, below).length * SMALL)) + EDGES;
  };
}

/** Characters of East Asia are two columns wide. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text)
    columns +=
      (character.codePointAt(0) ?? 0) >= 0x1100 &&
      /[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠]|\p{Emoji_Presentation}/u.test(character)
        ? 2
        : 1;
  return columns;
}
