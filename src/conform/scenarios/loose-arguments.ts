import type { CallForm } from '../call-form.ts';
import type { Scenario } from './scenario.ts';
import { inJson, playWay, type Way } from './ways.ts';
import { glmArgument, glmCall, qwenArgument, qwenCall, writeCalls } from './write-calls.ts';

const list = (query: string): string => `["${query}"]`;
const twice = (query: string): string => `{"query": "${query}", "query": "something else"}`;
const nan = (query: string): string => `{"query": "${query}", "limit": NaN}`;
const withThought = (query: string): string => `${query} <think>of all kinds</think>`;

const WAYS: readonly Way[] = [
  {
    what: 'arguments that are a list',
    written: inJson(list),
  },
  {
    what: 'an argument twice',
    written: {
      ...inJson(twice),
      qwen_xml: (query) => qwenCall('search', qwenArgument('query', query), qwenArgument('query', 'something else')),
      glm: (query) => glmCall('search', glmArgument('query', query), glmArgument('query', 'something else')),
    },
  },
  {
    what: 'NaN among its arguments',
    written: inJson(nan),
  },
  {
    what: 'the tags of a thought within an argument',
    written: { hermes: sound('hermes', withThought), kimi: sound('kimi', withThought), ...inText(withThought) },
  },
  {
    what: 'a text that reads as a number',
    written: inText(() => '2024'),
  },
  {
    what: 'a text of digits that is no number',
    written: inText(() => '01'),
  },
];

/** Arguments that parsers take for others without a word; the last three are sound, and to be left as they are. */
export const looseArguments: Scenario = {
  name: 'loose_arguments',
  title: 'arguments that a loose parser reads as others',
  faithful: 'Refuses what is no JSON object with each key once, and leaves sound arguments as they were written.',
  laundering: 'The tool gets {}, the last of two values, a value of another type, or a text without its thought.',
  ways: WAYS,
  play: (turn) => playWay(turn, WAYS),
};

function sound(form: CallForm, textOf: (query: string) => string) {
  return (query: string): string => writeCalls(form, [{ name: 'search', args: { query: textOf(query) } }], 0);
}

/** A sound call in the forms that write no types. */
function inText(textOf: (query: string) => string): Way['written'] {
  return { qwen_xml: sound('qwen_xml', textOf), glm: sound('glm', textOf) };
}
