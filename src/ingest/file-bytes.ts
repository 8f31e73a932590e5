import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export interface FileBytes {
  /** Bytes of the text, gunzipped where the file is gzip (by its first bytes, whatever its name). */
  readonly chunks: AsyncIterable<Buffer>;
  /** Bytes taken from the file so far (before gunzip), for progress. */
  read(): number;
  /** What happened to the file since it was opened; null: nothing. */
  changed(): Promise<string | null>;
  close(): Promise<void>;
}

/** Reads a file as it was when it was opened: up to its size then. What is appended later belongs to the next import. */
export async function openFile(path: string): Promise<FileBytes> {
  const handle = await open(path, 'r');
  const atOpen = await handle.stat();
  if (atOpen.isDirectory()) {
    await handle.close();
    throw new Error('is a folder');
  }
  // A pipe has no size and no places.
  if (!atOpen.isFile()) return openStream(handle.createReadStream());
  const source = counted(chunksOf(handle, atOpen.size));
  return {
    chunks: gunzipped(source.chunks),
    read: source.read,
    async changed() {
      const now = await handle.stat();
      if (now.size < atOpen.size) return `was cut from ${atOpen.size} to ${now.size} bytes while it was read`;
      if (now.size > atOpen.size) return `grew while it was read: taken up to its first ${atOpen.size} bytes`;
      if (now.mtimeMs !== atOpen.mtimeMs) return 'was written to while it was read';
      return null;
    },
    close: () => handle.close(),
  };
}

/** Standard input, or whatever else comes as a stream. */
export function openStream(stream: AsyncIterable<Buffer>): FileBytes {
  const source = counted(stream);
  return {
    chunks: gunzipped(source.chunks),
    read: source.read,
    changed: async () => null,
    close: async () => {},
  };
}

const CHUNK_BYTES = 1024 * 1024;

async function* chunksOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    // A new buffer each time: lines are views of it and may be waiting to be appended.
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function counted(chunks: AsyncIterable<Buffer>): { chunks: AsyncIterable<Buffer>; read(): number } {
  let bytes = 0;
  async function* count(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: count(), read: () => bytes };
}

async function* gunzipped(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const all = again(first.value, iterator);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const piped = pipeline(Readable.from(all), gunzip);
  piped.catch(() => {});
  const text: AsyncIterable<Buffer> = gunzip;
  yield* text;
  await piped;
}

async function* again(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
