import { callText, honestPlay, saying } from './saying.ts';
import type { Scenario } from './scenario.ts';

/** The first call has no closing tag, and the model stopped of itself. */
export const unclosedCall: Scenario = {
  name: 'unclosed_call',
  title: 'a tool call without its closing tag',
  faithful: 'Shows the model that its call was not understood, or runs it as it was written and says so.',
  laundering: 'The call vanishes and the rollout ends as complete.',
  play: (turn) =>
    turn.turn > 0
      ? honestPlay(turn, 1)
      : saying(
          turn,
          `I will look that up first.\n${callText('search', { query: turn.task.query }).replace('\n</tool_call>', '')}`,
          'a call without </tool_call>, and finish reason stop',
        ),
};
