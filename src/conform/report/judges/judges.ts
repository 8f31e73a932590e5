import type { CheckName, Judgement } from '../verdict.ts';
import { judgeCuts } from './cut.ts';
import { judgeEndTokens } from './eos.ts';
import { judgeExtraLogprobs } from './extra-logprob.ts';
import { judgeFaultyCalls } from './faulty-calls.ts';
import type { Judge } from './judge.ts';
import { judgeNextPromptIds } from './next-prompt-ids.ts';
import { judgeAborts, judgeLateAnswers, judgeResets } from './partial-answer.ts';
import { judgeRecordedIds, judgeRecordedLogprobs } from './recorded-tokens.ts';
import { judgeRefusals } from './refusals.ts';
import { judgeArguments, judgeDuplicates } from './sound-calls.ts';
import { judgeSplitCharacters } from './split-characters.ts';
import { judgeThinkCalls } from './think-calls.ts';
import { judgeWeights } from './weights.ts';

/** All that is asked of each conversation. */
export const JUDGES: readonly Judge[] = [
  judgeAborts,
  judgeCuts,
  judgeFaultyCalls,
  judgeThinkCalls,
  judgeDuplicates,
  judgeArguments,
  judgeNextPromptIds,
  judgeRecordedIds,
  judgeRecordedLogprobs,
  judgeExtraLogprobs,
  judgeRefusals,
  judgeResets,
  judgeLateAnswers,
  judgeWeights,
  judgeEndTokens,
  judgeSplitCharacters,
];

/** What each scenario is about: its verdict is theirs. What the others say of it is told beside it. */
const ABOUT: Readonly<Record<string, readonly CheckName[]>> = {
  honest: ['next_prompt_ids', 'recorded_ids', 'recorded_logprobs', 'arguments'],
  abort_partial: ['abort'],
  weights_change: ['weights'],
  length_in_call: ['cut'],
  malformed_call: ['malformed_call'],
  unclosed_call: ['unclosed_call'],
  repaired_looking_call: ['malformed_call'],
  loose_arguments: ['malformed_call', 'arguments'],
  duplicate_call: ['duplicate_call'],
  think_call: ['think_call'],
  noncanonical_split: ['next_prompt_ids', 'recorded_ids'],
  extra_logprob: ['extra_logprob'],
  storm_429: ['refusals'],
  storm_503: ['refusals'],
  slow_first_token: ['late_answer'],
  connection_reset: ['reset'],
  two_eos: ['eos'],
  split_character: ['split_character'],
};

/** Beyond their first turn they are honest: that a sound call is kept there says nothing of what they are about. */
const OF_FIRST_TURN: readonly string[] = ['loose_arguments'];

export function isAbout(scenario: string, { turn }: Judgement): boolean {
  return turn === 0 || !OF_FIRST_TURN.includes(scenario);
}

/** null: a scenario that this report knows nothing of; then all that is said of it counts. */
export function checksOf(scenario: string): readonly CheckName[] | null {
  return ABOUT[scenario] ?? null;
}
