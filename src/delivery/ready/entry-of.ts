import { versionGroup } from '../../../processors/delivery/version-group.ts';
import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { LogRecord } from '../../broker/port.ts';
import type { ReadyShape } from './ready-shape.ts';
import { sampledVersions } from './sampled-versions.ts';

const TOKEN_BYTES = 4;
/** Bytes of a token in segments that travel by reference: id, two masks, logprob. What has no logprobs is taken for smaller. */
const BLOB_TOKEN_BYTES = 10;

/** The entry of a record of the ready topic. */
export type EntryOfRecord = (record: LogRecord, shape: ReadyShape) => ReadyEntry;

/** Names that are kept to be shared. */
const MOST_SHARED = 10_000;

/** A million entries wait in memory, of a few runs and weights: their names, which each record has anew, are kept once. */
export function createEntryOf(): EntryOfRecord {
  const names = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();

  const shared = <T>(kept: Map<string, T>, key: string, value: T): T => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= MOST_SHARED) kept.clear();
    kept.set(key, value);
    return value;
  };

  return function entryOf({ offset, key, timestampMs, headers }, shape) {
    const unit = key?.toString() ?? '';
    const versions = sampledVersions(shape);
    const entry: ReadyEntry = {
      offset,
      run: shared(names, shape.run_id, shape.run_id),
      group: unit,
      // Null: the members of its group pass one by one.
      size: shape.group_size_actual ?? 1,
      unit,
      rollout: shape.rollout_id,
      attempt: shape.attempt,
      tokens: tokensOf(shape),
      versions: shared(lists, JSON.stringify(versions), versions),
      readyAtMs: timestampMs,
    };
    const alone = shape.group_size_actual === null ? shape.rollout_id : null;
    return headers.replay === undefined ? entry : { ...entry, ...versionOf(unit, headers, alone) };
  };
}

/** Of what a replay emitted. */
function versionOf(
  unit: string,
  headers: LogRecord['headers'],
  alone: string | null,
): Pick<ReadyEntry, 'group' | 'replay' | 'again'> {
  const { replay = '' } = headers;
  const version = { group: versionGroup(unit, replay, alone), replay };
  return headers.again === '1' ? { ...version, again: true } : version;
}

/**
 * Of a record that nobody can decode: its headers say whose it was. It takes its place, so that its group is whole, and is
 * undeliverable once its turn comes. null: the headers do not say either.
 */
export function entryOfUnreadable({ offset, key, timestampMs, headers }: LogRecord): ReadyEntry | null {
  const { run, size } = headers;
  if (run === undefined || key === null) return null;
  const unit = key.toString();
  const isCounted = size !== undefined && /^[1-9]\d{0,8}$/.test(size);
  const entry: ReadyEntry = {
    offset,
    run,
    group: unit,
    size: isCounted ? Number(size) : 1,
    unit,
    rollout: '',
    attempt: 0,
    tokens: 0,
    versions: [],
    readyAtMs: timestampMs,
  };
  return headers.replay === undefined ? entry : { ...entry, ...versionOf(unit, headers, isCounted ? null : '') };
}

function tokensOf({ segments, segments_ref }: ReadyShape): number {
  if (segments_ref !== null) return Math.ceil(segments_ref.length / BLOB_TOKEN_BYTES);
  return segments.reduce((sum, { token_ids }) => sum + token_ids.length / TOKEN_BYTES, 0);
}
