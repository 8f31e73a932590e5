import { callText, honestPlay, saying } from './saying.ts';
import type { Play, Scenario, Turn } from './scenario.ts';

/**
 * The first turn drafts a call in its thought. By the number of the task the thought is whole, has no opening (as where the template
 * wrote it into the prompt), is never closed, so that there is no call but the draft, or has another thought within it.
 */
export const thinkCall: Scenario = {
  name: 'think_call',
  title: 'a draft of a tool call inside a thought',
  faithful: 'Runs the call after the thought and never the draft.',
  laundering: 'The draft runs as well, or in its place.',
  play,
};

const WAYS = 4;

function play(turn: Turn): Play {
  if (turn.turn > 0) return honestPlay(turn, turn.task.number % WAYS === 2 ? 1 : 0);
  const draft = `I could ask for the wrong thing: ${callText(turn, 'search', { query: draftOf(turn) })} No, not that.`;
  const call = `I will look that up first.\n${callText(turn, 'search', { query: turn.task.query })}`;
  const opening = turn.opensInThought ? '' : '<think>\n';
  const way = turn.task.number % WAYS;
  if (way === 0) return saying(turn, `${opening}${draft}\n</think>\n\n${call}`, 'a draft of a call in a thought');
  if (way === 1)
    return {
      ...saying(turn, `${draft}\n</think>\n\n${call}`, 'a draft of a call in a thought without its opening'),
      inThought: true,
    };
  if (way === 3) {
    const nested = `${opening}First <think>a thought of its own</think>. ${draft}\n</think>\n\n${call}`;
    return saying(turn, nested, 'a draft of a call in a thought that has another within it');
  }
  return saying(turn, `${opening}${draft}`, 'a draft of a call in a thought that is never closed');
}

/** What only the draft asks for. */
function draftOf({ task }: Turn): string {
  return `draft, never to run: ${task.query}`;
}
