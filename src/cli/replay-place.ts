import { RollstreamError } from '../errors.ts';

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** One end of a stretch, as a request has it. */
export type ReplayPlace =
  | { readonly offset: number }
  | { readonly partition: number; readonly offset: number }
  | { readonly at_ms: number };

/** `1200`, `3:1200`, or a time; one without a zone is UTC, as in SQL. */
export function replayPlace(text: string, field: 'from' | 'to'): ReplayPlace {
  if (/^\d{1,15}$/.test(text)) return { offset: Number(text) };
  const [, partition, offset] = /^(\d{1,6}):(\d{1,15})$/.exec(text) ?? [];
  if (partition !== undefined && offset !== undefined) return { partition: Number(partition), offset: Number(offset) };
  const [, day, hour = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const atMs = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}${zone}`);
  if (Number.isNaN(atMs))
    throw new RollstreamError(
      'RS_USAGE',
      `--${field} ${text}: an offset from 0, P:OFFSET or a time (ISO 8601) is needed`,
      {
        facts: { field },
      },
    );
  return { at_ms: atMs };
}
