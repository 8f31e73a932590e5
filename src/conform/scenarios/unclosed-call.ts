import { callText, honestPlay, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/** The first call has no closing tag, and the model stopped of itself. */
export const unclosedCall: Scenario = {
  name: 'unclosed_call',
  title: 'a tool call without its closing tag',
  faithful: 'Shows the model that its call was not understood, or runs it as it was written and says so.',
  laundering: 'The call vanishes and the rollout ends as complete.',
  play,
};

const CLOSING = /\n?(<\/tool_call>|<\|tool_calls_section_end\|>)$/;

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn, 1);
  const call = callText(turn, 'search', { query: turn.task.query });
  const [, tag = ''] = CLOSING.exec(call) ?? [];
  const text = `I will look that up first.\n${call.replace(CLOSING, '')}`;
  return saying(turn, text, `a call without ${tag}, and finish reason stop`);
}
