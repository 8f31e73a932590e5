import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { FailureInit, ToolResultInit, ToolStatus } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull } from '../fields.ts';
import { asText, leftover, unlessEmpty } from '../json-text.ts';
import type { Action } from './a2e-action.ts';
import type { Exchange } from './a2e-episode.ts';
import { type A2eMessage, restOfMessage, restOfObservation } from './a2e-message.ts';

/** Codes of A2E. Those of the first kind say that nothing ran. A map: a code may be a word that every object knows. */
const STATUS: ReadonlyMap<string, ToolStatus> = new Map([
  ['unknown_tool', 'not_executed'],
  ['tool_denied', 'not_executed'],
  ['unknown_action', 'not_executed'],
  ['unauthorized', 'not_executed'],
  ['schema_violation', 'not_executed'],
  ['invalid_message', 'not_executed'],
  ['parse_error', 'not_executed'],
  ['version_mismatch', 'not_executed'],
  ['tool_error', 'tool_error'],
  ['runtime_error', 'tool_error'],
  ['timeout', 'timeout'],
  ['out_of_memory', 'sandbox_error'],
  ['sandbox_crash', 'sandbox_error'],
]);

export interface NamedResult {
  readonly callId: string;
  readonly action: Action;
  readonly version: string;
}

/** A step of the environment or a call of a tool, as the result of what the agent asked for. */
export function addA2eResult(out: AttemptEvents, exchange: Exchange, { callId, action, version }: NamedResult): void {
  const { request, response, observation, events } = exchange;
  const answered = answerOf(exchange);
  const result: ToolResultInit = {
    call_id: callId,
    name: action.name ?? answered.name,
    executed_arguments: action.args,
    status: answered.status,
    output: answered.output,
    exit_code: answered.exitCode,
    exec_us: answered.execUs,
    error: answered.error,
  };
  const asked = exchange.kind === 'tool' ? ['arguments', 'tool_name'] : ['episode_id', 'action'];
  out.add(
    'tool_result',
    { tool_result: result },
    {
      // Of a request there is no answer, or of an answer no request: whatever lost it, it is not the policy.
      unanswered: response === null ? true : undefined,
      unasked: request === null ? true : undefined,
      action: action.rest,
      observation: observation === null ? undefined : restOfObservation(observation),
      result: answered.rest,
      told_name: answered.name !== action.name && action.name !== null ? (answered.name ?? undefined) : undefined,
      request: request === null ? undefined : restOfMessage(request, version, asked),
      response: response === null ? undefined : restOfMessage(response, version, answered.taken),
      events: events.length > 0 ? events.map(({ value }) => value) : undefined,
    },
    placeOf(exchange),
  );
}

/** Times of the two sides, each by its own clock: no duration. */
export function placeOf({ request, response }: Exchange): EventPlace {
  return { startedAtUs: request?.time.us ?? null, endedAtUs: response?.time.us ?? null };
}

interface Answer {
  readonly status: ToolStatus;
  readonly name: string | null;
  readonly output: Buffer | null;
  readonly exitCode: number | null;
  readonly execUs: number | null;
  readonly error: FailureInit | null;
  readonly rest: JsonValue | undefined;
  /** Keys of the answer that are said. */
  readonly taken: readonly string[];
}

const NO_ANSWER: Answer = {
  ...{ status: 'unknown', name: null, output: null, exitCode: null, execUs: null, error: null },
  ...{ rest: undefined, taken: [] },
};

function answerOf({ kind, response, observation }: Exchange): Answer {
  if (response === null) return NO_ANSWER;
  if (response.type === 'error') return errorAnswer(response);
  if (kind === 'tool') return toolAnswer(response.value.data);
  if (observation === null) return NO_ANSWER;
  const { state } = observation.value;
  return { ...NO_ANSWER, status: 'ok', output: state === undefined ? null : textBytes(state), taken: ['obs'] };
}

export function errorCode({ value }: A2eMessage): string {
  return typeof value.code === 'string' ? value.code : '';
}

export function failureOf({ value }: A2eMessage): FailureInit {
  const { code, message } = value;
  return { type: typeof code === 'string' ? code : null, message: typeof message === 'string' ? message : null };
}

/** Keys of an error that its failure says. */
export function saidByFailure({ value }: A2eMessage): string[] {
  return ['code', 'message'].filter((key) => typeof value[key] === 'string');
}

function errorAnswer(response: A2eMessage): Answer {
  const status = STATUS.get(errorCode(response)) ?? 'unknown';
  return { ...NO_ANSWER, status, error: failureOf(response), taken: saidByFailure(response) };
}

const RESULT = ['success', 'tool_name', 'data', 'exit_code', 'error', 'error_code', 'duration_ms'];

function toolAnswer(data: JsonValue | undefined): Answer {
  if (!isObject(data)) return NO_ANSWER;
  const { success, tool_name, exit_code, error, error_code, duration_ms } = data;
  const code = typeof error_code === 'string' ? error_code : null;
  const ms = countOrNull(duration_ms);
  const exitCode =
    typeof exit_code === 'number' && Number.isInteger(exit_code) && Math.abs(exit_code) < 2 ** 31 ? exit_code : null;
  const failed = code === null ? 'tool_error' : (STATUS.get(code) ?? 'tool_error');
  const hasFailure = code !== null || typeof error === 'string';
  return {
    status: success === true ? 'ok' : success === false ? failed : 'unknown',
    name: typeof tool_name === 'string' ? tool_name : null,
    output: data.data === undefined || data.data === null ? null : textBytes(data.data),
    exitCode,
    execUs: ms === null ? null : ms * 1000,
    error: hasFailure ? { type: code, message: typeof error === 'string' ? error : null } : null,
    rest: unlessEmpty({ ...leftover(data, RESULT), ...oddOf(data, { exitCode, ms }) }),
    taken: ['data'],
  };
}

/** Values of another type than their field has. */
function oddOf(
  data: JsonObject,
  read: { exitCode: number | null; ms: number | null },
): Record<string, JsonValue | undefined> {
  const { success, tool_name, exit_code, error, error_code, duration_ms } = data;
  const isText = (value: JsonValue | undefined): boolean => typeof value === 'string' || value === null;
  return {
    success: typeof success === 'boolean' ? undefined : success,
    tool_name: isText(tool_name) ? undefined : tool_name,
    error: isText(error) ? undefined : error,
    error_code: isText(error_code) ? undefined : error_code,
    exit_code: read.exitCode === null && exit_code !== null ? exit_code : undefined,
    duration_ms: read.ms === null ? duration_ms : undefined,
  };
}

/** A text as it is, anything else as JSON. */
function textBytes(value: JsonValue): Buffer {
  return bytesOfText(asText(value));
}
