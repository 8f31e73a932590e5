import type { Play, Scenario, Turn } from './scenario.ts';

const TOKENS = 256;

/** No task: as many tokens as the client allows, for measuring. */
export const longText: Scenario = {
  name: 'long_text',
  title: 'as many tokens as are allowed',
  faithful: 'Records what was sampled.',
  laundering: 'Anything else is recorded.',
  hidden: true,
  repeats: true,
  play,
};

function play({ vocabulary, maxTokens }: Turn): Play {
  const words = vocabulary.encode(' The tide comes in, and the tide goes out.');
  const length = maxTokens ?? TOKENS;
  const ids = Array.from({ length }, (_, at) => words[at % words.length] ?? 0);
  return { ids, finish: { type: 'length', length }, misbehaved: null };
}
