import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { BlobCheck } from '../blob-check.ts';
import type { LoadPayloads } from './payloads.ts';
import type { ReadRecords } from './read-records.ts';
import type { BlobRef } from './ready-shape.ts';

export interface Looked {
  readonly payloads: ReadonlyMap<number, Buffer>;
  /** By offset: why it cannot be delivered. */
  readonly unreadable: ReadonlyMap<number, string>;
}

/** Before it is granted: what nobody could read is named, and its trainer is spared a batch that fails each time it is asked for. */
export type LookAtPayloads = (entries: readonly ReadyEntry[]) => Promise<Looked>;

export function createLookAtPayloads(deps: {
  readonly loadPayloads: LoadPayloads;
  readonly readRecords: ReadRecords;
  readonly checkBlobs: BlobCheck;
}): LookAtPayloads {
  return async function lookAtPayloads(entries) {
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
    if (refs.size > 0) for (const [offset, why] of await deps.checkBlobs(refs)) unreadable.set(offset, why);
    return { payloads, unreadable };
  };
}
