import type { BlobRef } from './ready/ready-shape.ts';

/** Which of these blobs cannot be delivered, and why, by the offset of the record that names them. Rejects in an outage. */
export type BlobCheck = (refs: ReadonlyMap<number, BlobRef>) => Promise<ReadonlyMap<number, string>>;

/** Where nothing travels by reference. */
export const noBlobs: BlobCheck = () => Promise.resolve(new Map());
