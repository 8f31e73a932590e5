import type { JsonObject, JsonValue } from '../exact-number.ts';
import { objectAt } from '../fields.ts';
import { chatText } from './chat-messages.ts';

export interface HistoryEntry {
  readonly path: string;
  readonly value: JsonObject;
}

/** What the history has of one step: what the model said, with its tool calls, and what it was shown then. */
export interface HistoryTurn {
  readonly said: HistoryEntry;
  readonly shown: readonly HistoryEntry[];
}

export interface SweHistory {
  /** Before the first answer: the system's text, demonstrations, the task. */
  readonly input: readonly HistoryEntry[];
  /**
   * The turn of the next step. null: the history has none, as of answers that were asked for again (a malformed action, a command
   * that is blocked): the trajectory alone has those.
   */
  next(step: JsonObject): HistoryTurn | null;
  /** What no step was found for. */
  rest(): readonly HistoryEntry[];
}

/** The conversation beside the trajectory. Its turns are found by what was said, in order. */
export function sweHistory(history: readonly JsonValue[], path: string): SweHistory {
  const entries = history.map((entry, i) => ({ path: `${path}[${i}]`, value: objectAt(entry, `${path}[${i}]`) }));
  let at = answerFrom(entries, 0);
  const input = entries.slice(0, at);
  return {
    input,
    next(step) {
      const said = entries[at];
      if (said === undefined || !isAnswerOf(said.value, step)) return null;
      const end = answerFrom(entries, at + 1);
      const shown = entries.slice(at + 1, end);
      at = end;
      return { said, shown };
    },
    rest: () => entries.slice(at),
  };
}

function answerFrom(entries: readonly HistoryEntry[], from: number): number {
  const found = entries.findIndex(({ value }, i) => i >= from && value.role === 'assistant' && value.is_demo !== true);
  return found === -1 ? entries.length : found;
}

function isAnswerOf(said: JsonObject, step: JsonObject): boolean {
  if (typeof said.action === 'string' && typeof step.action === 'string' && said.action !== step.action) return false;
  return chatText(said.content) === step.response;
}
