import type { ToolStatus } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { leftover, unlessEmpty } from '../json-text.ts';
import { sourceTime } from '../source-times.ts';
import type { KnownOfMessage } from './chat-messages.ts';

/** A message has come of a command: the environment noted how it ended. */
export function isObservation(extra: JsonObject): boolean {
  return 'returncode' in extra || 'raw_output' in extra;
}

/** What the environment noted of a command. `raw_output` is kept where the model was not shown it as it is. */
export function miniSweResult(extra: JsonObject, shown: JsonValue | undefined): KnownOfMessage {
  const { returncode, exception_info, raw_output } = extra;
  const code = typeof returncode === 'number' && Number.isSafeInteger(returncode) ? returncode : null;
  const error = typeof exception_info === 'string' && exception_info !== '' ? exception_info : null;
  const type = typeof extra.exception_type === 'string' ? extra.exception_type : null;
  const isRaw = raw_output === shown;
  const known = ['timestamp', ...(isRaw ? ['raw_output'] : []), ...(code === null ? [] : ['returncode'])];
  if (error !== null) known.push('exception_info');
  if (type !== null && error !== null) known.push('exception_type');
  return {
    result: {
      status: statusOf(code, error, type),
      exit_code: code,
      error: error === null ? null : { type, message: error },
    },
    extra: { extra: leftover(extra, known) },
    taken: ['extra', 'timestamp'],
  };
}

/** As its own words say; a command that ran and failed is the tool's error. */
function statusOf(code: number | null, error: string | null, type: string | null): ToolStatus {
  if (error === 'action was not executed') return 'not_executed';
  if (error !== null) return type === 'TimeoutExpired' ? 'timeout' : 'tool_error';
  if (code === null) return 'unknown';
  return code === 0 ? 'ok' : 'tool_error';
}

/** When a message was made: version 1 notes it on the message, version 2 in its extra. */
export function miniSweTime(message: JsonObject, extra: JsonObject) {
  const value = extra.timestamp ?? message.timestamp;
  const { us, note } = sourceTime(value);
  const both = extra.timestamp !== undefined && message.timestamp !== undefined ? message.timestamp : undefined;
  return {
    endedAtUs: us,
    times: unlessEmpty({ note: note ?? undefined, timestamp: note === null ? undefined : value, message: both }),
  };
}
