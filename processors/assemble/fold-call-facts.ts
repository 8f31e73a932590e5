import type { ModelCall } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { factsOf } from '../model/attempt-facts.ts';

const BYTES_A_TOKEN = 4;

/** What a model call tells beside its tokens. A parse status that nobody gave counts as nothing. */
export function foldCallFacts(attempt: Attempt, call: ModelCall): void {
  for (const { parse_status } of call.tool_calls) {
    if (parse_status === 'malformed') factsOf(attempt).malformedCalls += 1;
    else if (parse_status === 'repaired') factsOf(attempt).repairedCalls += 1;
  }
  const isFull = isFullCall(attempt, call);
  if (isFull || attempt.facts !== null) factsOf(attempt).lastCallFull = isFull;
}

/** It sampled as many tokens as it was allowed, by its own limit or by the attempt's. */
function isFullCall({ start }: Attempt, { sampling, completion_ids, usage }: ModelCall): boolean {
  const most = sampling?.max_tokens ?? start?.sampling?.max_tokens ?? null;
  const sampled = completion_ids === null ? (usage?.completion_tokens ?? null) : completion_ids.length / BYTES_A_TOKEN;
  return most !== null && sampled !== null && most > 0 && sampled >= most;
}
