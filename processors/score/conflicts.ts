import type { Reason } from '../../schemas/generated/trajectory.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Conflict, ConflictClass } from '../model/judgement.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { finishMeaning } from '../taxonomy/classify.ts';
import { finishWordOf } from '../taxonomy/finish-word.ts';

const US_A_SECOND = 1_000_000;
/** An engine that finds the head of a call in what it has says so, though the call goes on beyond its limit. */
const CALL_WORDS = ['tool_calls', 'function_call', 'tool_use', 'tool_call'];
const NONE: readonly Conflict[] = [];

/** Where facts of an attempt contradict each other: about its end first. */
export function conflictsOf(
  attempt: Attempt,
  primary: Reason | null,
  raised: Reason | null,
  taxonomy: Taxonomy,
): readonly Conflict[] {
  const found: Conflict[] = [];
  const add = (name: ConflictClass, text: string) => found.push({ class: name, text });
  if (primary?.category === 'completion') {
    const says = `the loop says ${primary.code}`;
    const cut = cutOf(attempt, taxonomy);
    if (cut !== null) add('termination_conflict', `${says}, ${cut}`);
    const thrown = thrownBy(attempt, raised);
    if (thrown !== null) add('termination_conflict', `${says}, and ${thrown} ended it`);
    const open = attempt.openCalls.length;
    if (open > 0)
      add('unanswered_calls', `${says}, ${open} of its tool calls ${open === 1 ? 'has' : 'have'} no result`);
    const overrun = overrunOf(attempt);
    if (overrun !== null) add('overrun', `${says}, ${overrun}`);
  }
  // In `waiting` after the end is what lies beyond it: it was there before the end was.
  if ((attempt.facts?.laterSteps ?? 0) > 0 || (attempt.end !== null && (attempt.waiting?.size ?? 0) > 0))
    add('steps_after_end', `its end says ${primary?.code ?? 'unknown'}, and steps came after it`);
  const contradicted = attempt.facts?.contradictedScorer ?? null;
  if (contradicted !== null)
    add('verifier_nondeterministic', `verifier_nondeterministic: ${contradicted} gave two answers, the first counts`);
  for (const { scorer, status, rewards } of attempt.verdicts) {
    if (status === 'scored') continue;
    for (const [name, value] of Object.entries(rewards))
      if (value !== null) add('verdict_contradiction', `${scorer} says ${status}, and gives ${name} ${value}`);
  }
  return found.length === 0 ? NONE : found;
}

/** SGLang answers some aborts with HTTP 200 and partial text; a client that only tests for `length` calls it complete. */
function cutOf({ turns, facts }: Attempt, taxonomy: Taxonomy): string | null {
  const finishReason = turns.at(-1)?.finishReason ?? null;
  const meaning = finishMeaning(taxonomy, finishReason);
  if (meaning === 'cut' || meaning === 'aborted') return `the engine ${meaning} its last call`;
  if (facts === null || !facts.lastCallFull || finishReason === null) return null;
  const word = finishWordOf(finishReason);
  return CALL_WORDS.includes(word) ? `its last call says ${word}, and used all the tokens it had` : null;
}

/** The exception that ended the loop; one of the verifier's is no contradiction: it came when the loop had ended. */
function thrownBy({ end }: Attempt, raised: Reason | null): string | null {
  if (end === null || end.exception === null) return null;
  if (raised?.category === 'verifier_fault') return null;
  return end.exception.type ?? 'an exception';
}

/** By the clock of its producer, which wrote both ends. */
function overrunOf({ start, startedAtUs, endedAtUs }: Attempt): string | null {
  const limit = start?.limits?.max_wall_us ?? null;
  if (limit === null || startedAtUs === null || endedAtUs === null) return null;
  const took = endedAtUs - startedAtUs;
  return took >= limit ? `and took ${took / US_A_SECOND} s of ${limit / US_A_SECOND} s` : null;
}
