import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { jsonText, leftover } from '../json-text.ts';

/** An action as a tool call: the wire leaves its form to the environment. */
export interface Action {
  readonly callId: string | null;
  /** null: it names none. */
  readonly name: string | null;
  /** JSON text; null: there is no action. */
  readonly args: string | null;
  /** The action itself, where name and arguments do not say all of it. */
  readonly rest: JsonValue | undefined;
}

const NAMES = ['name', 'tool_name', 'tool', 'action_type'] as const;
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters', 'payload'] as const;
const IDS = ['tool_call_id', 'call_id', 'id'] as const;

/**
 * `{action_type, payload}` is a call of that name; where the payload (or the action) itself names a tool and its arguments,
 * those are what the model wrote, and audits compare them with it. Anything else is arguments without a name.
 */
export function actionOf(action: JsonValue | undefined): Action {
  if (action === undefined || action === null) return { callId: null, name: null, args: null, rest: undefined };
  const inner = isObject(action) && isObject(action.payload) ? toolCallOf(action.payload) : null;
  const found = inner ?? (isObject(action) ? toolCallOf(action) : null);
  if (found === null) return { callId: null, name: null, args: jsonText(action), rest: undefined };
  const { callId, name, args, rest } = found;
  return { callId, name, args: jsonText(args), rest: inner === null && rest === undefined ? undefined : action };
}

function toolCallOf(object: JsonObject) {
  const nameKey = NAMES.find((key) => typeof object[key] === 'string' && object[key] !== '');
  const argsKey = ARGUMENTS.find((key) => object[key] !== undefined);
  const name = nameKey === undefined ? undefined : object[nameKey];
  if (typeof name !== 'string' || nameKey === undefined || argsKey === undefined) return null;
  const idKey = IDS.find((key) => typeof object[key] === 'string' && object[key] !== '');
  const id = idKey === undefined ? undefined : object[idKey];
  const rest = leftover(object, [nameKey, argsKey]);
  return { callId: typeof id === 'string' ? id : null, name, args: object[argsKey] ?? null, rest };
}

/** What a tool call of the wire asks for. */
export function toolCallAction({ tool_name, arguments: args, correlation_id }: JsonObject): Action {
  return {
    callId: typeof correlation_id === 'string' && correlation_id !== '' ? correlation_id : null,
    name: typeof tool_name === 'string' && tool_name !== '' ? tool_name : null,
    args: args === undefined ? null : jsonText(args),
    rest: undefined,
  };
}
