import type { Readable } from 'node:stream';

/** Bytes by their SHA-256: what is too large for a record of the log. */
export interface BlobStore {
  /**
   * Resolves once the bytes are on disk. The same again writes the same again, and is as young as the last time. RS_DISK_FULL and
   * RS_STORE_UNREACHABLE: try again; RS_CONFIG: the folder cannot be used.
   */
  put(blob: NewBlob): Promise<void>;
  /** All of it, checked. */
  read(sha256: string): Promise<Buffer | BlobFault>;
  /** The same as a stream, which has to be read to its end or destroyed. */
  stream(sha256: string): Promise<BlobStream | BlobFault>;
  /** null: it is there, whole and unchanged. */
  faultOf(blob: BlobName): Promise<BlobFault | null>;
  /** Removes what was last written before `beforeMs` (since the epoch); resolves with how many. */
  removeOld(beforeMs: number): Promise<number>;
  /** Removes these, but for what was written since then; resolves with how many were there. */
  remove(sha256s: readonly string[], beforeMs: number): Promise<number>;
}

/** What a reference says of its blob. */
export interface BlobName {
  /** Hex, lower case. */
  readonly sha256: string;
  /** Bytes. */
  readonly length: number;
}

export interface NewBlob {
  readonly sha256: string;
  readonly bytes: Buffer;
}

export interface BlobStream {
  readonly length: number;
  readonly body: Readable;
}

/** Why a blob cannot be read: as delivery and SQL name it. */
export type BlobFault = 'blob_missing' | 'blob_damaged';

/** Only such a name reaches the file system. */
export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Where a blob is, for whoever has the same folder or server. */
export function blobUri(sha256: string): string {
  return `blob:${sha256}`;
}
