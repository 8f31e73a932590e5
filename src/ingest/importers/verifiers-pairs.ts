import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { chatToolCalls } from './chat-tool-calls.ts';

export interface AnsweredCall {
  readonly call_id: string;
  readonly turn: number;
  readonly name: string | null;
}

/**
 * Rows of some versions keep no `tool_call_id`. Its tool environments answer the calls of a message in their order, one message
 * each: where there are as many answers as calls, each is the call's at its place; else whose they are is not known.
 */
export function answersByOrder(messages: readonly JsonValue[]): ReadonlyMap<JsonObject, AnsweredCall> {
  const pairs = new Map<JsonObject, AnsweredCall>();
  let asked: AnsweredCall[] = [];
  let answers: JsonObject[] = [];
  let turn = 0;

  function pair(): void {
    if (answers.length !== asked.length) return;
    for (const [i, answer] of answers.entries()) {
      const call = asked[i];
      if (call !== undefined && call.call_id !== '') pairs.set(answer, call);
    }
  }

  for (const message of messages) {
    if (!isObject(message)) continue;
    if (message.role === 'assistant') {
      pair();
      asked = chatToolCalls(message.tool_calls).calls.map(({ call_id, name }) => ({
        call_id,
        turn,
        name: name ?? null,
      }));
      answers = [];
      turn++;
    } else if (message.role === 'tool' && (message.tool_call_id ?? null) === null) answers.push(message);
  }
  pair();
  return pairs;
}
