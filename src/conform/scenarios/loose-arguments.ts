import type { Scenario } from './scenario.ts';
import { playWay, type Way } from './ways.ts';
import {
  glmArgument,
  glmCall,
  hermesCall,
  kimiCall,
  kimiSection,
  qwenArgument,
  qwenCall,
  writeCalls,
} from './write-calls.ts';

const inHermes = (args: string): string => hermesCall(`{"name": "search", "arguments": ${args}}`);
const inKimi = (args: string): string => kimiSection(kimiCall('search', args));

const list = (query: string): string => `["${query}"]`;
const twice = (query: string): string => `{"query": "${query}", "query": "something else"}`;
const nan = (query: string): string => `{"query": "${query}", "limit": NaN}`;
const withThought = (query: string): string => `${query} <think>of all kinds</think>`;

const WAYS: readonly Way[] = [
  {
    what: 'arguments that are a list',
    written: { hermes: (query) => inHermes(list(query)), kimi: (query) => inKimi(list(query)) },
  },
  {
    what: 'an argument twice',
    written: {
      hermes: (query) => inHermes(twice(query)),
      kimi: (query) => inKimi(twice(query)),
      qwen_xml: (query) => qwenCall('search', qwenArgument('query', query), qwenArgument('query', 'something else')),
      glm: (query) => glmCall('search', glmArgument('query', query), glmArgument('query', 'something else')),
    },
  },
  {
    what: 'NaN among its arguments',
    written: { hermes: (query) => inHermes(nan(query)), kimi: (query) => inKimi(nan(query)) },
  },
  { what: 'the tags of a thought within an argument', written: inAll(withThought) },
  {
    what: 'a text that reads as a number',
    written: { qwen_xml: sound('qwen_xml', () => '2024'), glm: sound('glm', () => '2024') },
  },
  {
    what: 'a text of digits that is no number',
    written: { qwen_xml: sound('qwen_xml', () => '01'), glm: sound('glm', () => '01') },
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

function sound(form: 'hermes' | 'qwen_xml' | 'glm' | 'kimi', textOf: (query: string) => string) {
  return (query: string): string => writeCalls(form, [{ name: 'search', args: { query: textOf(query) } }], 0);
}

function inAll(textOf: (query: string) => string): Way['written'] {
  return {
    hermes: sound('hermes', textOf),
    qwen_xml: sound('qwen_xml', textOf),
    glm: sound('glm', textOf),
    kimi: sound('kimi', textOf),
  };
}
