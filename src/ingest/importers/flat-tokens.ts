import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import type { JsonValue } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import { packLogprobs } from '../packed.ts';

/** The token side of one model call, cut from the flat arrays of a rollout. */
export interface CallTokens {
  readonly tokens: Required<
    Pick<ModelCallInit, 'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'>
  >;
  /** Sampled tokens without a logprob, by position. */
  readonly missingLogprobs: readonly number[];
  /** Input that no output follows: the engine was given it, or was about to be, and sampled nothing. */
  readonly trailing: boolean;
}

/** Neighbours of which all were sampled, or none. */
export interface TokenRun {
  readonly isOutput: boolean;
  readonly length: number;
}

export interface FlatTokens {
  /** All of the sequence, packed. */
  readonly ids: Buffer;
  readonly logprobs: FlatLogprobs | null;
  /** Tokens that the engine held before: the first prompt begins with them. Absent: none. */
  readonly heldTokens?: number;
}

export interface FlatLogprobs {
  readonly values: readonly JsonValue[];
  readonly field: string;
  /** Index of the token that the first value belongs to. */
  readonly from: number;
}

/**
 * One call for each output run, whose prompt is the input before it. Input at the very end becomes a call with an empty
 * completion: so every token stays at its place, and nothing is sampled that was not.
 */
export function callsOfRuns(runs: readonly TokenRun[], { ids, logprobs, heldTokens = 0 }: FlatTokens): CallTokens[] {
  const calls: CallTokens[] = [];
  let promptFrom = heldTokens;
  let at = 0;
  for (const [i, run] of runs.entries()) {
    const outputFrom = run.isOutput ? at : at + run.length;
    at += run.length;
    const trailing = !run.isOutput && i === runs.length - 1;
    if (!run.isOutput && !trailing) continue;
    const packed =
      logprobs && packLogprobs(logprobs.values, logprobs.field, outputFrom - logprobs.from, at - logprobs.from);
    calls.push({
      tokens: {
        prompt_prefix_len: promptFrom,
        prompt_delta_ids: ids.subarray(promptFrom * 4, outputFrom * 4),
        completion_ids: ids.subarray(outputFrom * 4, at * 4),
        completion_logprobs: packed?.bytes ?? null,
      },
      missingLogprobs: packed?.missing ?? [],
      trailing,
    });
    promptFrom = at;
  }
  return calls;
}

/** A mask of 0 and 1 as runs, behind `before` tokens of input that it does not speak of. */
export function runsOfMask(mask: readonly JsonValue[], field: string, before = 0): TokenRun[] {
  const runs: TokenRun[] = before > 0 ? [{ isOutput: false, length: before }] : [];
  for (let from = 0, to = 0; from < mask.length; from = to) {
    const value = mask[from];
    if (value !== 0 && value !== 1) throw new Refused(`${field}[${from}]`, '0 or 1', shown(value));
    while (to < mask.length && mask[to] === value) to++;
    runs.push({ isOutput: value === 1, length: to - from });
  }
  return runs;
}

/** Logprobs of tokens that nobody sampled do not travel; what is no number is refused there, too. */
export function checkNumbers(values: readonly JsonValue[], field: string): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== 'number' && value !== null)
      throw new Refused(`${field}[${i}]`, 'a number or null', shown(value));
  }
}
