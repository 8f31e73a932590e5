/** What the scripted engine knows of one request: a line of its log, and what a report judges a stack by. */
export interface TruthCall {
  /** Scenario and number of its task, as the marker in the prompt says: `abort_partial#3`; null: no marker was found. */
  readonly scenario: string | null;
  readonly task: number | null;
  /** Place in the order of requests of the process. */
  readonly call: number;
  /** Turn of the task's script; the same again where a client tried again. */
  readonly turn: number;
  readonly route: 'generate' | 'chat' | 'completions';
  readonly streamed: boolean;
  readonly receivedAtUs: number;
  /** As they were sent, or as the template made them of the messages. */
  readonly promptIds: readonly number[];
  /** Whether the ids came from the client (`/generate`, `input_ids`), not from its messages. */
  readonly promptSentAsIds: boolean;
  /** Messages as they were sent; null on `/generate`. */
  readonly messages: readonly unknown[] | null;
  /** Tokens that this prompt has in common with what stood after the turn before; null: there was none. */
  readonly commonPrefix: number | null;
  /** What stood after the turn before: its prompt and its completion; null: there was none. */
  readonly heldLength: number | null;
  /** Sampled, and sent: fewer where the connection was cut. */
  readonly completionIds: readonly number[];
  readonly logprobs: readonly number[];
  /** Before any parser; of a character that is cut in two what the engine's detokenizer says. */
  readonly rawText: string;
  readonly finishReason: unknown;
  /** Half-open from `start`, by completion token. */
  readonly weightSpans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
  readonly status: number;
  /** What it did wrong on purpose; null: an honest answer. */
  readonly misbehaved: string | null;
  /** How the answer ended: the client had all of it, or left, or the connection was reset on purpose. */
  readonly ended: 'complete' | 'client_gone' | 'reset';
}
