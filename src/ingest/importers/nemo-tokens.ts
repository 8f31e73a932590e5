import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import { arrayAt, arrayOrNull } from '../fields.ts';
import { packLogprobs, packTokenIds, sameLength } from '../packed.ts';
import type { NemoItem } from './nemo-steps.ts';

export interface NemoTokens {
  readonly tokens: Required<
    Pick<ModelCallInit, 'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'>
  >;
  readonly missingLogprobs: readonly number[];
}

const EMPTY = Buffer.alloc(0);

/**
 * Each call carries its whole prompt; only what is new travels. The prefix is what the prompt shares with the ids held (the
 * last prompt and what was sampled on it): less than all of them means that the history was rewritten.
 */
export function createPrefixes(): (item: NemoItem) => NemoTokens {
  let heldPrompt: Buffer = EMPTY;
  let heldCompletion: Buffer = EMPTY;

  return ({ path, value }) => {
    const ids = arrayAt(value.generation_token_ids, `${path}.generation_token_ids`);
    const completion = packTokenIds(ids, `${path}.generation_token_ids`);
    const prompt = packTokenIds(
      arrayAt(value.prompt_token_ids, `${path}.prompt_token_ids`),
      `${path}.prompt_token_ids`,
    );
    const logprobsPath = `${path}.generation_log_probs`;
    const logprobs = arrayOrNull(value.generation_log_probs, logprobsPath);
    if (logprobs) sameLength(logprobs, logprobsPath, ids.length, 'generation_token_ids');
    const packed = logprobs && packLogprobs(logprobs, logprobsPath);

    let prefix = commonTokens(prompt, heldPrompt);
    if (prefix * 4 === heldPrompt.length) prefix += commonTokens(prompt.subarray(prefix * 4), heldCompletion);
    heldPrompt = prompt;
    heldCompletion = completion;
    return {
      tokens: {
        prompt_prefix_len: prefix,
        prompt_delta_ids: prompt.subarray(prefix * 4),
        completion_ids: completion,
        completion_logprobs: packed?.bytes ?? null,
      },
      missingLogprobs: packed?.missing ?? [],
    };
  };
}

/** Tokens that two packed sequences begin with alike. */
function commonTokens(a: Buffer, b: Buffer): number {
  const bytes = Math.min(a.length, b.length);
  if (a.subarray(0, bytes).equals(b.subarray(0, bytes))) return bytes / 4;
  let at = 0;
  while (a[at] === b[at]) at++;
  return Math.floor(at / 4);
}
