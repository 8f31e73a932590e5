import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../clickhouse/port.ts';

export interface OwnBlobsDeps {
  readonly store: Pick<Store, 'query'>;
  /** null: there is no folder for them. */
  readonly blobs: BlobStore | null;
  /** ms since the epoch. */
  readonly now: () => number;
}

/**
 * Removes the blobs that only this run refers to. Forks deliver what their parent wrote: while one lives, all stay. A blob that is
 * written again meanwhile stays, too: another run may be about to refer to it.
 */
export async function removeOwnBlobs(
  { store, blobs, now }: OwnBlobsDeps,
  runId: string,
  hasForks: boolean,
): Promise<{ readonly blobs: number; readonly blobs_shared: number } | Record<string, never>> {
  if (blobs === null) return {};
  const asOfMs = now();
  const rows = await store.query<{ sha256: string; shared: number | boolean }>(
    `SELECT assumeNotNull(segments_sha256) AS sha256, max(run_id != {run:String}) AS shared FROM rollstream.trajectories
     WHERE segments_sha256 IN
       (SELECT segments_sha256 FROM rollstream.trajectories WHERE run_id = {run:String} AND segments_sha256 IS NOT NULL)
     GROUP BY sha256 ORDER BY sha256`,
    { run: runId },
  );
  const isShared = (row: (typeof rows)[number]): boolean => hasForks || Boolean(Number(row.shared));
  const own = rows.filter((row) => !isShared(row)).map(({ sha256 }) => sha256);
  return { blobs: await blobs.remove(own, asOfMs), blobs_shared: rows.length - own.length };
}
