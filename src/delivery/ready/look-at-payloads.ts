import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { BlobCheck } from '../blob-check.ts';
import type { LoadPayloads } from './payloads.ts';
import type { ReadRecords } from './read-records.ts';
import type { BlobRef } from './ready-shape.ts';
import type { RecordCache } from './record-cache.ts';
import type { StoredRecord } from './stored-record.ts';

export interface Looked {
  /** As far as they are kept: what is missing is loaded again when it is sent. */
  readonly payloads: ReadonlyMap<number, Buffer>;
  /** By offset: why it cannot be delivered. */
  readonly unreadable: ReadonlyMap<number, string>;
}

/** Before it is granted: what nobody could read is named, and its trainer is spared a batch that fails each time it is asked for. */
export type LookAtPayloads = (entries: readonly ReadyEntry[], mostBytes?: number) => Promise<Looked>;

/** What is kept of payloads that were looked at, for the answer; a global batch of many ranks may have far more. Bytes. */
const KEPT_BYTES = 128 * 2 ** 20;
/** Tokens of entries that are looked at together: about 10 MB. */
const PIECE_TOKENS = 2 ** 20;

export function createLookAtPayloads(deps: {
  readonly loadPayloads: LoadPayloads;
  readonly readRecords: ReadRecords;
  readonly checkBlobs: BlobCheck;
  readonly storedRecord: StoredRecord;
  readonly cache: Pick<RecordCache, 'put'>;
}): LookAtPayloads {
  const lookAt = async (entries: readonly ReadyEntry[]): Promise<Looked> => {
    const payloads = await deps.loadPayloads(entries);
    const unreadable = new Map<number, string>();
    const refs = new Map<number, BlobRef>();
    for (const { offset } of entries) if (!payloads.has(offset)) unreadable.set(offset, 'payload_missing');
    const offsets = [...payloads.keys()];
    const shapes = await deps.readRecords(offsets.map((offset) => ({ value: payloads.get(offset) ?? null })));
    offsets.forEach((offset, index) => {
      const shape = shapes[index];
      if (shape === undefined || shape instanceof Error) unreadable.set(offset, 'payload_unreadable');
      else if (shape.segments_ref !== null) refs.set(offset, shape.segments_ref);
    });
    const faults = refs.size > 0 ? await deps.checkBlobs(refs) : new Map<number, string>();
    for (const entry of entries) {
      const why = faults.get(entry.offset);
      if (why === undefined) continue;
      // Rows hold what went to a blob as well, but for the largest.
      const stored = await deps.storedRecord(entry);
      if (stored?.isWhole !== true) unreadable.set(entry.offset, why);
      else {
        payloads.set(entry.offset, stored.record);
        deps.cache.put(entry.offset, stored.record);
      }
    }
    return { payloads, unreadable };
  };

  return async function lookAtPayloads(entries, mostBytes = KEPT_BYTES) {
    const kept = new Map<number, Buffer>();
    const unreadable = new Map<number, string>();
    let left = mostBytes;
    for (const piece of piecesOf(entries)) {
      const looked = await lookAt(piece);
      for (const [offset, why] of looked.unreadable) unreadable.set(offset, why);
      for (const [offset, payload] of looked.payloads) {
        if (payload.length > left) continue;
        left -= payload.length;
        kept.set(offset, payload);
      }
    }
    return { payloads: kept, unreadable };
  };
}

function piecesOf(entries: readonly ReadyEntry[]): ReadyEntry[][] {
  const pieces: ReadyEntry[][] = [];
  let room = 0;
  for (const entry of entries) {
    if (room <= 0) {
      pieces.push([]);
      room = PIECE_TOKENS;
    }
    pieces.at(-1)?.push(entry);
    room -= entry.tokens;
  }
  return pieces;
}
