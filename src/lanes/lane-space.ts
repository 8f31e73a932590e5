import type { Logger } from 'pino';
import { createFits, type Fits } from '../../processors/decide/record-space.ts';
import { MOST_RECORD_BYTES } from '../../processors/model/record-bytes.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

/** Where a trajectory has a place. */
export interface LaneSpace {
  /** Where token data goes that is too large for a record; null: nowhere. */
  readonly blobs: BlobStore | null;
  readonly fits: Fits;
}

/** Says in the log what has no place, and what would help. */
export function createLaneSpace(blobs: BlobStore | null, log: Logger): LaneSpace {
  const hasBlobs = blobs !== null;
  const fits = createFits({ bytes: MOST_RECORD_BYTES, takesTokens: hasBlobs });
  const fitsOrSaysWhy: Fits = (attempt, judgement) => {
    if (fits(attempt, judgement)) return true;
    const { run_id: run, rollout_id: rollout, attempt: number } = attempt.identity;
    const remedy = hasBlobs ? 'it is not its tokens' : 'set blobs.folder to a folder that all servers share';
    log.warn({ run, rollout, attempt: number }, `quarantined: above ${MOST_RECORD_BYTES} bytes a record; ${remedy}`);
    return false;
  };
  return { blobs, fits: fitsOrSaysWhy };
}
