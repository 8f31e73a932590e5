import type { CallForm } from '../call-form.ts';
import { honestPlay, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';
import { hermesCall, kimiCall, kimiSection } from './write-calls.ts';

/** The first call is none that its form knows: what a tool would get of it cannot be known. */
export const malformedCall: Scenario = {
  name: 'malformed_call',
  title: 'a tool call that is none in its form',
  faithful: 'Runs no tool, and shows the model the error.',
  laundering: 'The tool runs with {} or with a guess, or the call vanishes and the rollout ends as complete.',
  play,
};

const UNQUOTED = '{query: test}';
const OF_ANOTHER_FORM = hermesCall('{"name": "search", "arguments": {"query": "test"}}');

const WRITTEN: Readonly<Record<CallForm, string>> = {
  hermes: hermesCall(`{"name": "search", "arguments": ${UNQUOTED}}`),
  kimi: kimiSection(kimiCall('search', UNQUOTED)),
  qwen_xml: OF_ANOTHER_FORM,
  glm: OF_ANOTHER_FORM,
};

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn, 1);
  const written = WRITTEN[turn.form];
  const what = written === OF_ANOTHER_FORM ? 'in another form' : `with the arguments ${UNQUOTED}`;
  return saying(turn, `I will look that up first.\n${written}`, `a call ${what}`);
}
