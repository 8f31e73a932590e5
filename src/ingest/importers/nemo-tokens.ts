import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import { arrayAt, arrayOrNull } from '../fields.ts';
import { packLogprobs, packTokenIds, sameLength } from '../packed.ts';
import { createTokenPrefixes } from '../token-prefixes.ts';
import type { NemoItem } from './nemo-steps.ts';

export interface NemoTokens {
  readonly tokens: Required<
    Pick<ModelCallInit, 'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'>
  >;
  readonly missingLogprobs: readonly number[];
}

/** Each call carries its whole prompt; only what is new travels. */
export function createPrefixes(): (item: NemoItem) => NemoTokens {
  const prefixOf = createTokenPrefixes();

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
    const completion_logprobs = packed?.bytes ?? null;
    return {
      tokens: { ...prefixOf(prompt, completion), completion_ids: completion, completion_logprobs },
      missingLogprobs: packed?.missing ?? [],
    };
  };
}
