import type { Answer } from '../answer.ts';

/** A piece of a streamed answer. */
export interface Frame {
  /** With its `data: ` and the empty line. */
  readonly text: string;
  /** Completion tokens that the client has once it has this. */
  readonly tokens: number;
}

export function dataFrame(value: unknown, tokens: number): Frame {
  return { text: `data: ${JSON.stringify(value)}\n\n`, tokens };
}

export function doneFrame(tokens: number): Frame {
  return { text: 'data: [DONE]\n\n', tokens };
}

/** The tokens of an answer, one a chunk, from `at` to `to`; of an answer without any an empty last one. */
export function* chunksOf({
  ids,
}: Answer): Iterable<{ readonly at: number; readonly to: number; readonly isLast: boolean }> {
  for (let at = 0; at < Math.max(1, ids.length); at++) {
    const to = Math.min(at + 1, ids.length);
    yield { at, to, isLast: to === ids.length };
  }
}

/** One dialect's form of one route. */
export interface Shape {
  readonly whole: (answer: Answer) => unknown;
  readonly frames: (answer: Answer) => Iterable<Frame>;
}
