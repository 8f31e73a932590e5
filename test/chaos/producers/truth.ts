import { existsSync, readFileSync, writeSync } from 'node:fs';

/**
 * What a producer writes down beside its recorder, a line each, before a call and after it has returned: the truth that what came out
 * is compared with. Bytes are hex: token ids uint32 and logprobs float32, little-endian.
 */
export type TruthLine =
  | ({ readonly t: 'before' } & RecordedEvent)
  | { readonly t: 'after'; readonly rollout: string; readonly attempt: number; readonly key: string }
  /** It closes its recorder, and what is open stays open. */
  | { readonly t: 'stop' }
  | { readonly t: 'closed'; readonly lost: number; readonly refused: number };

export interface RecordedEvent {
  readonly rollout: string;
  readonly attempt: number;
  /** Seq of the event in its attempt; of a verdict its scorer. */
  readonly key: string;
  readonly kind: string;
  /** Of a model_call: its whole prompt, its completion. */
  readonly prompt?: string;
  readonly completion?: string;
  readonly logprobs?: string;
  /** Of a verdict. */
  readonly reward?: number;
  /** Of a message or a tool_result. */
  readonly text?: string;
}

export function writeTruth(file: number, line: TruthLine): void {
  writeSync(file, `${JSON.stringify(line)}\n`);
}

/** Whole lines: a process may have been killed within its last, or before its first. */
export function readTruth(path: string): TruthLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): TruthLine => JSON.parse(line));
}
