import type { FailureInit, RawReasonInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt, textOrNull } from '../fields.ts';
import { leftover } from '../json-text.ts';

export const SYSTEM = 'verifiers';

/** The error of a row: an object since 0.1.10, before that the text of an exception. */
export interface VerifiersError {
  readonly failure: FailureInit;
  /** What the failure does not say. */
  readonly rest: JsonObject | undefined;
}

export function verifiersError(value: JsonValue | undefined): VerifiersError | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return { failure: { type: classOf(value), message: value }, rest: undefined };
  const { error, message, ...rest } = objectAt(value, 'error');
  return {
    failure: { type: textOrNull(error, 'error.error'), message: textOrNull(message, 'error.message') },
    rest: leftover(rest, []),
  };
}

/** `ModelError('…')` and `ModelError: …` begin with their class. */
function classOf(text: string): string | null {
  return /^[A-Za-z_][\w.]{2,120}(?=[:(]|$)/.exec(text)?.[0] ?? null;
}

/**
 * Why the loop ended. `has_error` only says that the error says why: its class is the reason then. Without a stop condition
 * (rows before 0.1.10 have none) the reason is empty, which no taxonomy maps.
 */
export function verifiersReasons(row: JsonObject, error: VerifiersError | null): RawReasonInit[] {
  const stop = textOrNull(row.stop_condition, 'stop_condition') ?? '';
  const type = error?.failure.type ?? null;
  if (stop === 'has_error' && type !== null)
    return [{ raw: type, system: SYSTEM, detail: error?.failure.message ?? null }];
  return [{ raw: stop, system: SYSTEM }];
}

/** What the row has beside the fields that are mapped, parted into what its verifier measured and all else. */
export function restOfRow(
  row: JsonObject,
  known: readonly string[],
): { measured: JsonObject | undefined; rest: JsonObject } {
  const metrics = isObject(row.metrics) ? row.metrics : {};
  const measured: JsonObject = {};
  const rest: JsonObject = {};
  let any = false;
  for (const [key, value] of Object.entries(leftover(row, known) ?? {})) {
    // Since 0.1.10 each metric stands at the top, too, for old readers.
    if (Object.hasOwn(metrics, key) && metrics[key] === value) continue;
    if (typeof value !== 'number' || key.endsWith('_ms')) rest[key] = value;
    else {
      measured[key] = value;
      any = true;
    }
  }
  return { measured: any ? measured : undefined, rest };
}
