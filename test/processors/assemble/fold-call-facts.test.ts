import { expect, it } from 'vitest';
import type { AttemptFacts } from '../../../processors/model/attempt-facts.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf } from '../events.ts';
import { createTestLane } from '../harness.ts';

const of = attemptOf();

/** Facts of an attempt that has not ended. */
function factsOf(...events: readonly StepEventInit[]): AttemptFacts | null | undefined {
  const lane = createTestLane();
  lane.fold(...events);
  const [unit] = lane.state.units.values();
  return [...(unit?.attempts.values() ?? [])][0]?.facts;
}

it('calls count by what their parser said; a status that nobody gave is neither', () => {
  const tool_calls = (['malformed', 'repaired', 'repaired', 'ok', 'in_think', 'unknown'] as const).map(
    (parse_status, i) => ({ call_id: `${i}`, parse_status }),
  );
  const next = of.call(2, { prompt_prefix_len: 5, tool_calls: [{ call_id: 'x', parse_status: 'malformed' }] });
  expect(factsOf(of.start(), of.call(1, { tool_calls }), next)).toMatchObject({ malformedCalls: 2, repairedCalls: 2 });
});

it('a call is full by its own limit, else by the attempt’s; without one nobody knows, and the last call counts', () => {
  const limited = of.start({}, { sampling: { max_tokens: 3 } });
  const isFull = (...events: readonly StepEventInit[]) => factsOf(...events)?.lastCallFull ?? false;
  expect(isFull(limited, of.call(1))).toBe(true);
  expect(isFull(limited, of.call(1, { sampling: { max_tokens: 4 } }))).toBe(false);
  expect(isFull(of.start(), of.call(1))).toBe(false);
  // Of a source without token ids the engine's own count is taken.
  const bare = { prompt: null, sampled: null, logprobs: null };
  expect(isFull(limited, of.call(1, { ...bare, usage: { completion_tokens: 3 } }))).toBe(true);
  expect(isFull(limited, of.call(1, bare))).toBe(false);
  expect(isFull(limited, of.call(1), of.call(2, { prompt_prefix_len: 5, sampled: [1] }))).toBe(false);
});

it('an attempt that has nothing of it to tell holds nothing', () => {
  expect(factsOf(of.start(), of.call(1), of.tool(2, { call_id: 'a' }))).toBeNull();
});
