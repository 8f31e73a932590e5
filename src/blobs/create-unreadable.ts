import { type BlobFault, type BlobName, type BlobStore, isSha256 } from './blob-store.ts';
import { noBlobFolder } from './create-resolve-segments.ts';

/**
 * Which of these blobs cannot be delivered, and why, by the key under which they were asked for (the offset of the ready topic).
 * Each is read to its end. Rejects where the folder is the one that does not answer: RS_STORE_UNREACHABLE, RS_CONFIG. Then
 * nothing is known of any, and nothing may be given up.
 */
export type Unreadable = (refs: ReadonlyMap<number, BlobName>) => Promise<ReadonlyMap<number, BlobFault>>;

export function createUnreadable(blobs: BlobStore | null): Unreadable {
  return async function unreadable(refs) {
    const faults = new Map<number, BlobFault>();
    if (refs.size > 0 && blobs === null) throw noBlobFolder();
    for (const [offset, ref] of refs) {
      const fault = blobs === null || !isSha256(ref.sha256) ? 'blob_missing' : await blobs.faultOf(ref);
      if (fault !== null) faults.set(offset, fault);
    }
    return faults;
  };
}
