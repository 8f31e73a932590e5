import type { UsageInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull } from '../fields.ts';
import { leftover } from '../json-text.ts';

const USAGE_KEYS = ['prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'completion_tokens_details'];

/**
 * Usage as OpenAI's API has it: `{prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details: {cached_tokens},
 * completion_tokens_details: {reasoning_tokens}}`. `rest` is what the counts do not say; undefined: nothing.
 */
export function chatUsage(value: JsonValue | undefined): {
  readonly usage: UsageInit | null;
  readonly rest: JsonValue | undefined;
} {
  if (!isObject(value)) return { usage: null, rest: value ?? undefined };
  const ofPrompt = detailsOf(value.prompt_tokens_details, 'cached_tokens');
  const ofCompletion = detailsOf(value.completion_tokens_details, 'reasoning_tokens');
  const usage = {
    prompt_tokens: countOrNull(value.prompt_tokens),
    completion_tokens: countOrNull(value.completion_tokens),
    cached_tokens: ofPrompt.count,
    reasoning_tokens: ofCompletion.count,
  };
  const areCounts = usage.prompt_tokens !== null && usage.completion_tokens !== null;
  const isWhole = areCounts && ofPrompt.whole && ofCompletion.whole && !saysAnotherTotal(value);
  return { usage, rest: isWhole ? leftover(value, [...USAGE_KEYS, 'total_tokens']) : value };
}

function detailsOf(value: JsonValue | undefined, key: string): { count: number | null; whole: boolean } {
  if (value === undefined || value === null) return { count: null, whole: true };
  if (!isObject(value)) return { count: null, whole: false };
  const count = countOrNull(value[key]);
  return { count, whole: count !== null && leftover(value, [key]) === undefined };
}

/** A total that is the sum says nothing new; any other is kept. */
function saysAnotherTotal({ prompt_tokens, completion_tokens, total_tokens }: JsonObject): boolean {
  return total_tokens !== undefined && total_tokens !== Number(prompt_tokens) + Number(completion_tokens);
}
