import type { FailureInit } from '../../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { asText } from '../../../ingest/json-text.ts';
import type { RecordedCall } from '../../journal/read-call.ts';

/** Why a call failed, as its client saw it; null: it did not. */
export function callError({ answer, end }: RecordedCall, whole: JsonObject | null): FailureInit | null {
  if (end === null) return { type: 'proxy_killed', message: null };
  if (end.how !== 'complete') return { type: end.how, message: end.detail };
  const said = saidError(whole);
  const status = answer?.status ?? 0;
  if (status >= 400) return { type: said?.type ?? `http_${status}`, message: said?.message ?? null };
  return said;
}

/** Servers answer `{error: {…}}`, `{error: "text"}` or (older) `{object: "error", message}`. */
function saidError(whole: JsonObject | null): FailureInit | null {
  if (whole === null) return null;
  const { error } = whole;
  const hasError = error !== undefined && error !== null;
  if (!hasError && whole.object !== 'error') return null;
  if (typeof error === 'string') return { type: null, message: error };
  const about = isObject(error) ? error : whole;
  return { type: textOf(about.type ?? about.err_type ?? about.code), message: textOf(about.message) };
}

function textOf(value: JsonValue | undefined): string | null {
  return value === undefined || value === null ? null : asText(value);
}
