import type { EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { sourceTime } from '../source-times.ts';

/** A span of verifiers: `{start, end, duration?}` in seconds since the epoch, 0 where nothing was measured. null: it is none, or empty. */
export function spanPlace(value: JsonValue | undefined): EventPlace | null {
  if (!isObject(value)) return null;
  const startedAtUs = sourceTime(value.start).us;
  const endedAtUs = sourceTime(value.end).us;
  if (startedAtUs === null && endedAtUs === null) return null;
  return { startedAtUs, endedAtUs, durationUs: microseconds(value.duration, 1e6) };
}

/** A duration; null: it is none. Longer than thirty years is no duration either. */
export function microseconds(value: JsonValue | undefined, perUnit: number): number | null {
  return typeof value === 'number' && value >= 0 && value * perUnit < 1e15 ? Math.round(value * perUnit) : null;
}

/** When what a row of legacy results tells of happened: in seconds (spans), or as milliseconds alone, in `timing` or beside it. */
export interface VerifiersTimes {
  readonly startedAtUs: number | null;
  readonly endedAtUs: number | null;
  readonly setup: EventPlace | null;
  readonly scoring: EventPlace | null;
  /** Of the model calls in their order; empty: they were not measured. */
  readonly calls: readonly (EventPlace | null)[];
}

export function verifiersTimes(row: JsonObject): VerifiersTimes {
  const timing = isObject(row.timing) ? row.timing : {};
  const generation = spanPlace(timing.generation);
  const scoringUs = microseconds(timing.scoring_ms ?? row.scoring_ms, 1e3);
  const spans = isObject(timing.model) ? timing.model.spans : undefined;
  return {
    startedAtUs: sourceTime(timing.start_time).us ?? generation?.startedAtUs ?? null,
    endedAtUs: generation?.endedAtUs ?? null,
    setup: spanPlace(timing.setup),
    scoring: spanPlace(timing.scoring) ?? (scoringUs === null ? null : { durationUs: scoringUs }),
    calls: Array.isArray(spans) ? spans.map(spanPlace) : [],
  };
}
