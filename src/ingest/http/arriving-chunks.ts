import { RollstreamError } from '../../errors.ts';

/** A client may think for so long; what it sends later than that it has to send again. */
const IDLE_MS = 30_000;
const SMALL_BYTES = 4 * 1024;
/** What small chunks are put together to. */
const GATHERED = { bytes: 16 * 1024, chunks: 1_024 };

/**
 * Chunks of a body as a connection brings them. RS_BODY_STALLED where none comes for `idleMs`: a client that sends no more would
 * keep its share of the memory. Small ones come together: of a chunk a byte, 32 MB would take gigabytes. What came before an
 * error is given before it is thrown.
 */
export async function* arrivingChunks(chunks: AsyncIterable<Uint8Array>, idleMs = IDLE_MS): AsyncGenerator<Uint8Array> {
  let small: Uint8Array[] = [];
  let bytes = 0;
  const gathered = (): Uint8Array => {
    const [first] = small;
    const whole = small.length === 1 && first !== undefined ? first : Buffer.concat(small);
    small = [];
    bytes = 0;
    return whole;
  };
  try {
    for await (const chunk of untilIdle(chunks, idleMs)) {
      if (chunk.length < SMALL_BYTES) {
        small.push(chunk);
        bytes += chunk.length;
        if (bytes >= GATHERED.bytes || small.length >= GATHERED.chunks) yield gathered();
        continue;
      }
      if (bytes > 0) yield gathered();
      yield chunk;
    }
  } catch (error) {
    if (bytes > 0) yield gathered();
    throw error;
  }
  if (bytes > 0) yield gathered();
}

/** Only waiting for the client counts, not what is done with a chunk meanwhile. */
async function* untilIdle(chunks: AsyncIterable<Uint8Array>, idleMs: number): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  let giveUp = (): void => undefined;
  const timer = setTimeout(() => giveUp(), idleMs);
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = () => reject(stalled(idleMs));
        timer.refresh();
        source.next().then(resolve, reject);
      });
      isWaiting = false;
      giveUp = () => undefined;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // While a chunk is waited for, the end of it would wait, too.
    if (!isWaiting) await source.return?.();
  }
}

function stalled(idleMs: number): RollstreamError {
  return new RollstreamError(
    'RS_BODY_STALLED',
    `nothing of the body came for ${idleMs / 1000} s: send again what was not accepted`,
  );
}
