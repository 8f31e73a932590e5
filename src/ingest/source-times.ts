import { ExactNumber, type JsonValue } from './exact-number.ts';

/** A time of a source. */
export interface SourceTime {
  /** µs since the epoch, UTC; null: there is none that can be told. */
  readonly us: number | null;
  /**
   * `naive`: it had no zone and was taken as UTC. `unclear`: it is no time, or none within 1990 to 2100; the source's own value
   * then belongs into extra_json. null: it says what it is.
   */
  readonly note: 'naive' | 'unclear' | null;
}

const NONE: SourceTime = { us: null, note: null };
const UNCLEAR: SourceTime = { us: null, note: 'unclear' };

/** A number beyond it is not in seconds but in ms, beyond that one in µs, then ns: 1990 to 2100 do not overlap between units. */
const EARLIEST_S = 631_152_000;
const LATEST_S = 4_102_444_800;

/** ISO 8601 text, or a number since the epoch in s, ms, µs or ns: which one is told by its size. */
export function sourceTime(value: JsonValue | undefined): SourceTime {
  if (value === undefined || value === null || value === '') return NONE;
  if (typeof value === 'number') return numeric(String(value));
  if (value instanceof ExactNumber) return numeric(value.text);
  if (typeof value !== 'string') return UNCLEAR;
  return /^-?\d+(\.\d+)?$/.test(value) ? numeric(value) : iso(value);
}

function numeric(text: string): SourceTime {
  for (const [perSecond, digits] of UNITS) {
    const seconds = Number(text) / perSecond;
    if (!(seconds >= EARLIEST_S && seconds <= LATEST_S)) continue;
    // Nanoseconds are beyond 2^53: the digits are cut, not rounded through a double.
    const us = digits > 6 ? Number(BigInt(text.split('.')[0] ?? '0') / 1000n) : Math.round(seconds * 1e6);
    return { us, note: null };
  }
  return UNCLEAR;
}

/** How many of a unit a second has, and the power of ten of it. */
const UNITS = [
  [1, 0],
  [1e3, 3],
  [1e6, 6],
  [1e9, 9],
] as const;

const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

function iso(text: string): SourceTime {
  const found = ISO.exec(text.trim());
  if (found === null) return UNCLEAR;
  const [, day, time, fraction = '', zone] = found;
  const ms = Date.parse(`${day}T${time}${zoneOf(zone)}`);
  if (Number.isNaN(ms) || ms < EARLIEST_S * 1000 || ms > LATEST_S * 1000) return UNCLEAR;
  return { us: ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)), note: zone === undefined ? 'naive' : null };
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined || /^(z|utc)$/i.test(zone)) return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}
