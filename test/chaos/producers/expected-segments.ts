import type { ExpectedAttempt } from './expected-attempts.ts';

/** Tokens of a segment, each with its logprob; null: it was not sampled. */
export interface ExpectedSegment {
  readonly ids: number[];
  readonly logprobs: (number | null)[];
}

export interface ExpectedCall {
  readonly prefix: number;
  readonly delta: readonly number[];
  readonly completion: readonly number[];
  readonly logprobs: readonly number[];
}

/** Calls and segments of an attempt, worked out from whole prompts: a prompt that leaves what is held begins a derived segment. */
export function expectedSegments({ events }: ExpectedAttempt): {
  readonly segments: readonly ExpectedSegment[];
  readonly calls: ReadonlyMap<string, ExpectedCall>;
} {
  const segments: ExpectedSegment[] = [];
  const calls = new Map<string, ExpectedCall>();
  let held: ExpectedSegment | null = null as ExpectedSegment | null;
  for (const [key, { event }] of events) {
    if (event.kind !== 'model_call') continue;
    const [prompt, completion] = [idsOf(event.prompt), idsOf(event.completion)];
    const logprobs = logprobsOf(event.logprobs);
    const before = held ?? { ids: [], logprobs: [] };
    const prefix = commonPrefix(before.ids, prompt);
    if (held === null || prefix < held.ids.length) {
      held = { ids: before.ids.slice(0, prefix), logprobs: before.logprobs.slice(0, prefix) };
      segments.push(held);
    }
    const delta = prompt.slice(prefix);
    held.ids.push(...delta, ...completion);
    held.logprobs.push(...delta.map(() => null), ...logprobs);
    calls.set(key, { prefix, delta, completion, logprobs });
  }
  return { segments, calls };
}

function commonPrefix(held: readonly number[], prompt: readonly number[]): number {
  const differs = held.findIndex((id, i) => id !== prompt[i]);
  return differs === -1 ? held.length : differs;
}

function idsOf(hex = ''): number[] {
  const bytes = Buffer.from(hex, 'hex');
  return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32LE(4 * n));
}

function logprobsOf(hex = ''): number[] {
  const bytes = Buffer.from(hex, 'hex');
  return Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readFloatLE(4 * n));
}
