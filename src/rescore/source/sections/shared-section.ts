import type { EventKind, Failure, Purpose } from '../../../../schemas/generated/step-event.ts';
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
  readonly source_format: string;
  readonly source_version: string;
  readonly source_location: string | null;
  readonly extra_json: string | null;
  readonly call_id: string | null;
  readonly status: string;
  readonly error: Failure | null;
  readonly detail: string;
  /** Bytes; without tokens empty where there is one. null: none. */
  readonly text: Buffer | null;
}

const NO_BYTES = Buffer.alloc(0);

/** Read of every row; not all of it is one byte where it is nothing. */
export function sharedSection(withTokens: boolean): Section<SharedColumns> {
  return {
    select: [
      ...[
        'unit',
        'offset',
        'appended_at',
        'run_id',
        'purpose',
        'env_name',
        'task_id',
        'epoch',
        'group_id',
        'group_size',
      ],
      ...['rollout_id', 'attempt', 'segment_id', 'seq', 'event_id', 'producer_id', 'kind', 'started_at', 'ended_at'],
      ...['duration_us', 'source_format', 'source_version'],
      ...(withTokens ? ['source_location', 'extra_json'] : []),
      ...['call_id', 'status', 'has_error', 'error_type', 'error_message', 'detail_json'],
      withTokens ? 'text' : 'text IS NULL',
    ],
    read(reader) {
      const unit = reader.string();
      const offset = reader.int64();
      const appendedAtMs = reader.int64() / 1000;
      const run_id = reader.string();
      const purpose = purposeOf(reader.string());
      const env_name = reader.string();
      const task_id = reader.string();
      const epoch = reader.int32();
      const group_id = reader.nullableString();
      const group_size = reader.nullableInt32();
      const rollout_id = reader.string();
      const attempt = reader.int32();
      const segment_id = reader.string();
      const seq = reader.int32();
      const event_id = reader.uniqueString();
      const producer_id = reader.string();
      const kind = kindOf(reader.string());
      const started_at = reader.nullableInt64();
      const ended_at = reader.nullableInt64();
      const duration_us = reader.nullableInt64();
      const source_format = reader.string();
      const source_version = reader.string();
      const source_location = withTokens ? reader.nullableString() : null;
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
        source_format,
        source_version,
        source_location,
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
