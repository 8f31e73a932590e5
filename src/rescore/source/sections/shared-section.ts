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
  /** Bytes; without tokens empty where there is one. null: none. */
  readonly text: Buffer | null;
}

const NO_BYTES = Buffer.alloc(0);

/** What events of a unit mostly have in common. */
type Common = Pick<
  SharedColumns,
  | ('unit' | 'run_id' | 'purpose' | 'env_name' | 'task_id' | 'epoch' | 'group_id' | 'group_size' | 'segment_id')
  | 'source'
>;

function readCommon(reader: RowBinaryReader): Common {
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
    source: { format: reader.string(), version: reader.string(), location: reader.nullableString() },
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
      ...['source_format', 'source_version', withTokens ? 'source_location' : 'CAST(NULL AS Nullable(String))'],
      ...['offset', 'appended_at', 'rollout_id', 'attempt', 'seq', 'event_id', 'producer_id', 'kind'],
      ...['started_at', 'ended_at', 'duration_us', ...(withTokens ? ['extra_json'] : [])],
      ...['call_id', 'status', 'has_error', 'error_type', 'error_message', 'detail_json'],
      withTokens ? 'text' : 'text IS NULL',
    ],
    read(reader) {
      const at = reader.at;
      if (common === null || !reader.repeats(from, to)) {
        common = readCommon(reader);
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
      const isText = !reader.isNull();
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
        text: isText ? (withTokens ? reader.blob() : NO_BYTES) : null,
      };
    },
  };
}
