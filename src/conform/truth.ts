import type { CallForm } from './call-form.ts';

/**
 * What the scripted engine knows of one request: a line of its log, and what a report judges a stack by. Written before the last byte of
 * the answer. A request that is refused for the client's own mistake has none, since it is no model call.
 */
export interface TruthCall {
  /** As the marker in the prompt says, `[[rollstream:abort_partial#3]]`: its name; null: no marker was found, and `honest` was answered. */
  readonly scenario: string | null;
  /** Number of the task in its scenario, of the same marker. */
  readonly task: number | null;
  /** Place in the order of requests of the process. */
  readonly call: number;
  /** Turn of the task's script, from 0: assistant turns of the prompt after the marker. The same again where a client tried again. */
  readonly turn: number;
  /** How often this turn of this task had been asked before, from 0. Rollouts of one task at a time count together. */
  readonly attempt: number;
  readonly route: 'generate' | 'chat' | 'completions';
  /** Whose shape it was answered in. */
  readonly dialect: 'sglang' | 'vllm';
  readonly streamed: boolean;
  readonly receivedAtUs: number;
  /** Of the answer: `meta_info.id`, or `id` of the OpenAI routes; null: it was refused. */
  readonly requestId: string | null;
  /** As they were sent, or as the template made them of the messages. */
  readonly promptIds: readonly number[];
  /** Whether the ids came from the client (`input_ids`, or a `prompt` of ids), not from its messages or its text. */
  readonly promptSentAsIds: boolean;
  /** The ids of the prompt as text; what is no whole character is U+FFFD. */
  readonly promptText: string;
  /** Messages as they were sent; null but on the chat route. */
  readonly messages: readonly unknown[] | null;
  /** Tokens that this prompt has in common with what stood after the turn before; null: there was none. */
  readonly commonPrefix: number | null;
  /** What stood after the turn before, its prompt and its completion, in tokens; null: there was none. */
  readonly heldLength: number | null;
  /** Call that the two above are about; null: there was none. */
  readonly heldCall: number | null;
  /** Sampled, and sent: fewer where the connection was cut or the client left. */
  readonly completionIds: readonly number[];
  /** One a completion token, and one more where `misbehaved` says so. */
  readonly logprobs: readonly number[];
  /** Of the completion ids, with special tokens, before any parser; what is no whole character is U+FFFD. */
  readonly rawText: string;
  /** Calls that the engine's own parser made of the text for a chat answer; null but on the chat route with tools, and for calls that it does not parse. */
  readonly parsedCalls: ReadonlyArray<{ readonly name: string; readonly arguments: string }> | null;
  /** SGLang's object, whatever the dialect: `{type, matched}`, `{type, length}`, `{type, message}`; null: none was sent. */
  readonly finishReason: unknown;
  /** Half-open from `start`, by completion token; empty: it was refused. */
  readonly weightSpans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
  readonly status: number;
  /** What it did wrong on purpose, in words; null: an honest answer. */
  readonly misbehaved: string | null;
  /** How the answer ended: the client had all of it, or left, or the connection was reset on purpose. */
  readonly ended: 'complete' | 'client_gone' | 'reset';
}

/** The first line of a log. */
export interface TruthHead {
  /** Of the log's form. */
  readonly rollstream_conform: 1;
  readonly startedAtUs: number;
  readonly seed: number;
  readonly tokenizerSha256: string;
  readonly model: string;
  readonly scenarios: readonly string[];
  /** How calls are written; absent: as Hermes writes them. */
  readonly calls?: CallForm;
}
