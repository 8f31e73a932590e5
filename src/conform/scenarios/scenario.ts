import type { Random } from '../../simulate/random.ts';
import type { CallForm } from '../call-form.ts';
import type { Refusal } from '../engine/asked.ts';
import type { Vocabulary } from '../engine/vocabulary.ts';
import type { Task } from './task.ts';
import type { Way } from './ways.ts';

/** A way to misbehave, and what is told of it. */
export interface Scenario {
  /** In the marker: `abort_partial`. */
  readonly name: string;
  readonly title: string;
  /** What a faithful stack does. One sentence. */
  readonly faithful: string;
  /** What laundering looks like. One sentence. */
  readonly laundering: string;
  /** It is no test of a stack: left out of `all`. */
  readonly hidden?: boolean;
  /** Its answers are the same over and over: streams of them are written once. */
  readonly repeats?: boolean;
  /** How it misbehaves, one a task, where there are several ways and not every form of calls has them all. */
  readonly ways?: readonly Way[];
  readonly play: (turn: Turn) => Play;
}

/** The state of a prompt, and what may be sampled from. */
export interface Turn {
  readonly task: Task;
  /** That all calls are written in. */
  readonly form: CallForm;
  /** Assistant turns before this one, since the marker. */
  readonly turn: number;
  /** How often this turn had been asked before. */
  readonly attempt: number;
  /** The prompt ended within a thought that the template had opened. */
  readonly opensInThought: boolean;
  /** null: the client set no limit. */
  readonly maxTokens: number | null;
  /** One seed, marker and turn give one series. */
  readonly random: Random;
  readonly vocabulary: Vocabulary;
}

export type Finish =
  | { readonly type: 'stop'; readonly matched: number | string }
  | { readonly type: 'length'; readonly length: number }
  | { readonly type: 'abort'; readonly message: string };

/** What is sampled, and what is done wrong with it. */
export interface Play {
  readonly ids: readonly number[];
  readonly finish: Finish;
  /** Half-open from `start`, by token; default one version for all. */
  readonly versions?: ReadonlyArray<{ readonly start: number; readonly version: string }>;
  /** In words; null: an honest answer. */
  readonly misbehaved: string | null;
  /** The text began within a thought, whatever the prompt ended with: engines that take that for given split it there. */
  readonly inThought?: boolean;
  /** Instead of an answer. */
  readonly refusal?: Refusal;
  /** Logprobs beyond one a token. */
  readonly extraLogprobs?: number;
  /** Before the first byte. */
  readonly delayMs?: number;
  /** A stream is written in pieces of so many bytes, so that they end within characters and within `data: `. */
  readonly pieceBytes?: number;
  /** The connection is cut once so many tokens were sent; a whole answer is cut within its body. */
  readonly resetAfter?: number;
}
