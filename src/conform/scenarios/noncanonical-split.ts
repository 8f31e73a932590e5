import { honestText } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first turn is sampled in other tokens than the tokenizer would write its text in. */
export const noncanonicalSplit: Scenario = {
  name: 'noncanonical_split',
  title: 'a text in other tokens than the tokenizer would write it in',
  faithful: 'Records the sampled ids, and its next prompt begins with them.',
  laundering: 'The next prompt, or the record, has the ids of the text encoded again.',
  play,
};

function play(turn: Turn): Play {
  const { vocabulary, task } = turn;
  const text = honestText(turn, turn.turn);
  const end = vocabulary.eosIds[0] ?? 0;
  const finish = { type: 'stop', matched: end } as const;
  const canonical = vocabulary.encode(text);
  if (turn.turn > 0) return { ids: [...canonical, end], finish, misbehaved: null };
  const at = text.indexOf(task.query);
  const ids = [
    ...vocabulary.encode(text.slice(0, at)),
    ...[...task.query].flatMap((character) => vocabulary.encode(character)),
    ...vocabulary.encode(text.slice(at + task.query.length)),
  ];
  const differs = ids.findIndex((id, place) => id !== canonical[place]);
  if (differs === -1 || vocabulary.text(ids) !== text) throw new Error('the split is the canonical one');
  return { ids: [...ids, end], finish, misbehaved: `other tokens than the text's own from token ${differs} on` };
}
