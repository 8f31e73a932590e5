import type { EventKind, Failure, Purpose, Source } from '../../../../schemas/generated/step-event.ts';
import type { RowBinaryReader } from '../../../clickhouse/row-binary-reader.ts';
import { kindOf, purposeOf } from './enums.ts';
import type { Section } from './section.ts';

/** What all events have, and the columns that several kinds share. */
export interface SharedColumns {
  readonly unit: string;
  readonly offset: number;
  readonly appendedAtMs: number;
  readonly run_id: string;
  readonly purpose: Purpose;
  readonly env_name: string;
  readonly task_id: string;
  readonly epoch: number;
  readonly group_id: string | null;
  readonly group_size: number | null;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly segment_id: string;
  readonly seq: number | null;
  readonly event_id: string;
  readonly producer_id: string;
  readonly kind: EventKind;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly duration_us: number | null;
  readonly source: Source;
  readonly extra_json: string | null;
  readonly call_id: string | null;
  readonly status: string;
  readonly error: Failure | null;
  readonly detail: string;
  /** Bytes; null: none, or without tokens. */
  readonly text: Buffer | null;
}

/** What events of a unit mostly have in common. */
type Common = Pick<
  SharedColumns,
  | ('unit' | 'run_id' | 'purpose' | 'env_name' | 'task_id' | 'epoch' | 'group_id' | 'group_size' | 'segment_id')
  | 'source'
>;

/** Where an event came from is for people and audits. */
const NO_SOURCE: Source = { format: '', version: '', location: null };

/**
 * Without tokens: of an answer each byte costs, and most of these are read by nobody then. A call's own limit of tokens decides
 * whether it was cut off, and so does what it says it sampled where its ids are not there; an error decides at the end alone.
 */
const LIGHT_DETAIL = `multiIf(
  kind IN ('message', 'tool_result', 'phase'), '',
  kind != 'model_call' OR NOT has_completion_ids OR position(detail_json, '"aux_ref":') > 0
    OR countSubstrings(detail_json, '"max_tokens":') > countSubstrings(detail_json, '"max_tokens":null'), detail_json,
  '')`;
const LIGHT_TIMES = [
  `if(kind IN ('start', 'end'), started_at, NULL)`,
  `if(kind = 'end', ended_at, NULL)`,
  'duration_us',
] as const;
const LIGHT_ERROR = [
  'has_error',
  `if(kind = 'end', error_type, NULL)`,
  `if(kind = 'end', error_message, NULL)`,
] as const;

function readCommon(reader: RowBinaryReader, withTokens: boolean): Common {
  return {
    unit: reader.string(),
    run_id: reader.string(),
    purpose: purposeOf(reader.string()),
    env_name: reader.string(),
    task_id: reader.string(),
    epoch: reader.int32(),
    group_id: reader.nullableString(),
    group_size: reader.nullableInt32(),
    segment_id: reader.string(),
    source: withTokens
      ? { format: reader.string(), version: reader.string(), location: reader.nullableString() }
      : NO_SOURCE,
  };
}

/** Read of every row; not all of it is one byte where it is nothing. For one reader. */
export function sharedSection(withTokens: boolean): Section<SharedColumns> {
  let common: Common | null = null;
  let from = 0;
  let to = 0;
  return {
    select: [
      ...['unit', 'run_id', 'purpose', 'env_name', 'task_id', 'epoch', 'group_id', 'group_size', 'segment_id'],
      ...(withTokens ? ['source_format', 'source_version', 'source_location'] : []),
      ...['offset', 'appended_at', 'rollout_id', 'attempt', 'seq', 'event_id', 'producer_id', 'kind'],
      ...(withTokens ? ['started_at', 'ended_at', 'duration_us', 'extra_json'] : LIGHT_TIMES),
      ...['call_id', 'status', ...(withTokens ? ['has_error', 'error_type', 'error_message'] : LIGHT_ERROR)],
      ...(withTokens ? ['detail_json', 'text'] : [LIGHT_DETAIL]),
    ],
    read(reader) {
      const at = reader.at;
      if (common === null || !reader.repeats(from, to)) {
        common = readCommon(reader, withTokens);
        from = at;
        to = reader.at;
      }
      const { unit, run_id, purpose, env_name, task_id, epoch, group_id, group_size, segment_id, source } = common;
      const offset = reader.int64();
      const appendedAtMs = reader.int64() / 1000;
      const rollout_id = reader.string();
      const attempt = reader.int32();
      const seq = reader.int32();
      const event_id = reader.uniqueString();
      const producer_id = reader.string();
      const kind = kindOf(reader.string());
      const started_at = reader.nullableInt64();
      const ended_at = reader.nullableInt64();
      const duration_us = reader.nullableInt64();
      const extra_json = withTokens ? reader.nullableString() : null;
      const call_id = reader.nullableString();
      const status = reader.string();
      const hasError = reader.bool();
      const type = reader.nullableString();
      const message = reader.nullableString();
      const detail = reader.string();
      const text = withTokens && !reader.isNull() ? reader.blob() : null;
      // Field by field: to spread objects costs fifty times as much as all the rest.
      return {
        unit,
        offset,
        appendedAtMs,
        run_id,
        purpose,
        env_name,
        task_id,
        epoch,
        group_id,
        group_size,
        rollout_id,
        attempt,
        segment_id,
        seq: seq === -1 ? null : seq,
        event_id,
        producer_id,
        kind,
        started_at,
        ended_at,
        duration_us,
        source,
        extra_json,
        call_id,
        status,
        error: hasError ? { type, message } : null,
        detail,
        text,
      };
    },
  };
}
