import type { Scenario } from './scenario.ts';
import { inJson, playWay, type Way } from './ways.ts';
import { glmArgument, glmCall, hermesCall, kimiCall, kimiSection, qwenArgument, qwenCall } from './write-calls.ts';

const comma = (query: string): string => `{"query": "${query}",}`;
const encodedTwice = (query: string): string => `"{\\"query\\": \\"${query}\\"}"`;

/** Qwen-XML and GLM: the parameter is not closed, or the key has no value. */
const UNCLOSED = '<parameter=limit>\n2';
const WITHOUT_VALUE = '<arg_key>limit</arg_key>';

const WAYS: readonly Way[] = [
  {
    what: 'single quotes',
    written: {
      hermes: (query) => hermesCall(`{'name': 'search', 'arguments': {'query': '${query}'}}`),
      kimi: (query) => kimiSection(kimiCall('search', `{'query': '${query}'}`)),
    },
  },
  {
    what: 'a trailing comma',
    written: inJson(comma),
  },
  {
    what: 'the key parameters',
    written: { hermes: (query) => hermesCall(`{"name": "search", "parameters": {"query": "${query}"}}`) },
  },
  {
    what: 'arguments encoded twice',
    written: inJson(encodedTwice),
  },
  {
    what: 'a last argument without its end',
    written: {
      qwen_xml: (query) => qwenCall('search', qwenArgument('query', query), UNCLOSED),
      glm: (query) => glmCall('search', glmArgument('query', query), WITHOUT_VALUE),
    },
  },
  {
    what: 'an only argument without its end',
    written: {
      qwen_xml: (query) => qwenCall('search', `<parameter=query>\n${query}`),
      glm: () => glmCall('search', '<arg_key>query</arg_key>'),
    },
  },
];

/** Calls that many parsers mend in silence; which, goes by the number of the task. */
export const repairedLookingCall: Scenario = {
  name: 'repaired_looking_call',
  title: 'a tool call that a lenient parser would mend',
  faithful: 'Refuses the call and shows the model the error, or records that what ran is not what was written.',
  laundering: 'A mended call, or {}, runs and counts as what the model wrote.',
  ways: WAYS,
  play: (turn) => playWay(turn, WAYS),
};
