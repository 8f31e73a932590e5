import type { Reason } from '../../schemas/generated/trajectory.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { finishMeaning } from '../taxonomy/classify.ts';
import { finishWordOf } from '../taxonomy/finish-word.ts';

const US_A_SECOND = 1_000_000;
/** An engine that finds the head of a call in what it has says so, though the call goes on beyond its limit. */
const CALL_WORDS = ['tool_calls', 'function_call', 'tool_use', 'tool_call'];

export interface Conflicts {
  /** Contradictions about why the loop ended: its own word cannot be taken for it. */
  readonly aboutTheEnd: readonly string[];
  /** Contradictions that leave the reason standing, for whoever looks. */
  readonly beside: readonly string[];
}

const NONE: Conflicts = { aboutTheEnd: [], beside: [] };

/** Where facts of an attempt contradict each other: both sides, in words. */
export function conflictsOf(
  attempt: Attempt,
  primary: Reason | null,
  raised: Reason | null,
  taxonomy: Taxonomy,
): Conflicts {
  const aboutTheEnd: string[] = [];
  const beside: string[] = [];
  if (primary?.category === 'completion') {
    const says = `the loop says ${primary.code}`;
    const cut = cutOf(attempt, taxonomy);
    if (cut !== null) aboutTheEnd.push(`${says}, ${cut}`);
    const thrown = thrownBy(attempt, raised);
    if (thrown !== null) aboutTheEnd.push(`${says}, and ${thrown} ended it`);
    const open = attempt.openCalls.length;
    if (open > 0) beside.push(`${says}, ${open} of its tool calls ${open === 1 ? 'has' : 'have'} no result`);
    const overrun = overrunOf(attempt);
    if (overrun !== null) beside.push(`${says}, ${overrun}`);
  }
  // In `waiting` after the end is what lies beyond it: it was there before the end was.
  if ((attempt.facts?.laterSteps ?? 0) > 0 || (attempt.end !== null && (attempt.waiting?.size ?? 0) > 0))
    beside.push(`its end says ${primary?.code ?? 'unknown'}, and steps came after it`);
  const contradicted = attempt.facts?.contradictedScorer ?? null;
  if (contradicted !== null)
    beside.push(`verifier_nondeterministic: ${contradicted} gave two answers, the first counts`);
  for (const { scorer, status, rewards } of attempt.verdicts) {
    if (status === 'scored') continue;
    for (const [name, value] of Object.entries(rewards))
      if (value !== null) beside.push(`${scorer} says ${status}, and gives ${name} ${value}`);
  }
  return aboutTheEnd.length === 0 && beside.length === 0 ? NONE : { aboutTheEnd, beside };
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
