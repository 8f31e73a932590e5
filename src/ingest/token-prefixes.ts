/** What of a prompt is new to its segment. */
export interface NewPrompt {
  readonly prompt_prefix_len: number;
  readonly prompt_delta_ids: Buffer;
}

const EMPTY = Buffer.alloc(0);

/**
 * For sources whose calls carry their whole prompt, packed; only what is new travels. The prefix is what the prompt shares with
 * the ids held (the last prompt and what was sampled on it): less than all of them means that the history was rewritten.
 */
export function createTokenPrefixes(): (prompt: Buffer, completion: Buffer) => NewPrompt {
  let heldPrompt: Buffer = EMPTY;
  let heldCompletion: Buffer = EMPTY;

  return (prompt, completion) => {
    let prefix = tokensInCommon(prompt, heldPrompt);
    if (prefix * 4 === heldPrompt.length) prefix += tokensInCommon(prompt.subarray(prefix * 4), heldCompletion);
    heldPrompt = prompt;
    heldCompletion = completion;
    return { prompt_prefix_len: prefix, prompt_delta_ids: prompt.subarray(prefix * 4) };
  };
}

/** Tokens that two packed sequences begin with alike. */
export function tokensInCommon(a: Buffer, b: Buffer): number {
  const bytes = Math.min(a.length, b.length);
  if (a.subarray(0, bytes).equals(b.subarray(0, bytes))) return bytes / 4;
  let at = 0;
  while (a[at] === b[at]) at++;
  return Math.floor(at / 4);
}
