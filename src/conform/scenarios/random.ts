import type { Play, Scenario, Turn } from './scenario.ts';

const MOST_TOKENS = 120;

/** No task: ids, lengths, endings and versions by chance, of the seed, the number and the turn. Half of the characters are none. */
export const random: Scenario = {
  name: 'random',
  title: 'ids, lengths, endings and versions by chance',
  faithful: 'Records what was sampled, bit for bit.',
  laundering: 'Anything else is recorded.',
  hidden: true,
  play,
};

function play({ random: chance, vocabulary }: Turn): Play {
  const opening = vocabulary.encode(vocabulary.assistantOpening)[0];
  const isUsed = (id: number): boolean => vocabulary.has(id) && !vocabulary.eosIds.includes(id) && id !== opening;
  const ids: number[] = [];
  const length = chance.whole(1, MOST_TOKENS);
  while (ids.length < length) {
    const id = chance.whole(0, vocabulary.size - 1);
    if (isUsed(id)) ids.push(id);
  }
  const versions = [{ start: 0, version: `v${chance.whole(1, 9)}` }];
  for (let more = chance.whole(0, 2); more > 0; more--) {
    const start = (versions.at(-1)?.start ?? 0) + chance.whole(1, MOST_TOKENS >> 1);
    if (start < length) versions.push({ start, version: `v${chance.whole(10, 99)}-${more}` });
  }
  const ending = chance.weighted([
    ['stop', 6],
    ['other', 1],
    ['length', 2],
    ['abort', 1],
  ] as const);
  if (ending === 'length') return { ids, finish: { type: 'length', length }, versions, misbehaved: null };
  if (ending === 'abort')
    return {
      ids,
      finish: { type: 'abort', message: 'Aborted by chance.' },
      versions,
      misbehaved: 'an abort with HTTP 200',
    };
  const end = (ending === 'other' ? vocabulary.eosIds[1] : undefined) ?? vocabulary.eosIds[0] ?? 0;
  return { ids: [...ids, end], finish: { type: 'stop', matched: end }, versions, misbehaved: null };
}
