import { callText, honestPlay, honestText, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** A character of several tokens, so that streams are cut within it; the last turn is cut by length after its first token. */
export const splitCharacter: Scenario = {
  name: 'split_character',
  title: 'a character over two tokens, cut between chunks and at the end',
  faithful: 'Keeps the ids, and the character is whole again where it can be.',
  laundering: 'U+FFFD, or nothing, is encoded in the place of the tokens.',
  play,
};

const RARE = ['\u{1F701}', '\u{13000}', '\u{1D54F}', '\u{20BB7}', '\u{1F9FF}'];

/** Odd, and no more than `data: ` and one character have: no boundary is where a client would like it. */
const PIECE_BYTES = 5;

function play(turn: Turn): Play {
  const { vocabulary, task } = turn;
  const rare = RARE.find((character) => isSplit(turn, vocabulary.encode(character)));
  if (rare === undefined) return honestPlay(turn);
  if (turn.turn === 0)
    return {
      ...saying(turn, callText(turn, 'search', { query: `${task.query} ${rare}` }), 'a character over several tokens'),
      pieceBytes: PIECE_BYTES,
    };
  if (turn.turn !== 2) return honestPlay(turn);
  const ids = [...vocabulary.encode(`${honestText(turn, 2)} `), ...vocabulary.encode(rare).slice(0, 1)];
  return { ids, finish: { type: 'length', length: ids.length }, misbehaved: 'cut by length within a character' };
}

/** Its first token is no text of its own. */
function isSplit({ vocabulary }: Turn, ids: readonly number[]): boolean {
  return ids.length > 1 && vocabulary.text(ids.slice(0, 1)) === '\uFFFD';
}
