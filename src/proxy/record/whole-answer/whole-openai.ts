import { isObject, type JsonObject, type JsonValue, setOwn } from '../../../ingest/exact-number.ts';

/** Deltas of each choice joined; what is said once is kept as it was said last. */
export function wholeOpenai(chunks: readonly JsonObject[]): JsonObject {
  const whole: JsonObject = {};
  const choices = new Map<number, JsonObject>();
  for (const chunk of chunks) {
    for (const name in chunk) {
      const value = chunk[name];
      if (name !== 'choices' && value !== null && value !== undefined) setOwn(whole, name, value);
    }
    for (const delta of objectsOf(chunk.choices)) {
      const index = typeof delta.index === 'number' ? delta.index : 0;
      const choice = choices.get(index) ?? {};
      choices.set(index, choice);
      addDelta(choice, delta);
    }
  }
  whole.choices = [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
  return whole;
}

function addDelta(choice: JsonObject, delta: JsonObject): void {
  for (const name in delta) {
    const value = delta[name];
    if (value === undefined) continue;
    if (value === null) choice[name] ??= null;
    else if (name === 'delta' && isObject(value)) addMessage(objectIn(choice, 'message'), value);
    else if (name === 'text' && typeof value === 'string') choice.text = textOf(choice.text) + value;
    else if (name === 'token_ids' && Array.isArray(value)) append(choice, name, value);
    else if (name === 'logprobs' && isObject(value)) addArrays(objectIn(choice, name), value);
    else setOwn(choice, name, value);
  }
}

function addArrays(joined: JsonObject, more: JsonObject): void {
  for (const name in more) {
    const value = more[name];
    if (Array.isArray(value)) append(joined, name, value);
    else if (value !== undefined && joined[name] === undefined) setOwn(joined, name, value);
  }
}

function addMessage(message: JsonObject, delta: JsonObject): void {
  for (const name in delta) {
    const value = delta[name];
    if (value === undefined) continue;
    if (value === null) message[name] ??= null;
    else if (name === 'tool_calls' && Array.isArray(value)) addCalls(message, value);
    else if (typeof value === 'string' && name !== 'role') setOwn(message, name, textOf(message[name]) + value);
    else setOwn(message, name, value);
  }
}

function addCalls(message: JsonObject, deltas: readonly JsonValue[]): void {
  const calls: JsonValue[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  message.tool_calls = calls;
  for (const delta of deltas) {
    if (!isObject(delta)) continue;
    const { index } = delta;
    const at =
      typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 && index < MOST_CALLS
        ? index
        : calls.length;
    while (calls.length <= at) calls.push({ function: {} });
    const call = calls[at];
    if (isObject(call)) addCall(call, delta);
  }
}

/** A stream that counts its calls from a billion must not be believed. */
const MOST_CALLS = 10_000;

function addCall(call: JsonObject, delta: JsonObject): void {
  const said = isObject(delta.function) ? delta.function : {};
  const kept = objectIn(call, 'function');
  for (const name in said) {
    const value = said[name];
    if (value === null || value === undefined) continue;
    const isPart = name === 'arguments' && typeof value === 'string';
    setOwn(kept, name, isPart ? textOf(kept.arguments) + value : value);
  }
  for (const name in delta) {
    const value = delta[name];
    // Its place in the list says it.
    if (name === 'function' || name === 'index' || value === null || value === undefined) continue;
    setOwn(call, name, value);
  }
}

/** In a loop: a list may be longer than a call may have arguments. */
function append(target: JsonObject, name: string, more: readonly JsonValue[]): void {
  const list = target[name];
  if (!Array.isArray(list)) setOwn(target, name, [...more]);
  else for (const item of more) list.push(item);
}

function objectIn(target: JsonObject, name: string): JsonObject {
  const there = target[name];
  if (isObject(there)) return there;
  const made: JsonObject = {};
  target[name] = made;
  return made;
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
