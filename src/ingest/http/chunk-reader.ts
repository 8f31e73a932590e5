import { BodyFault } from './read-step.ts';

/** Takes so many bytes at a time from chunks of any size. */
export interface ChunkReader {
  /** Whether nothing more comes. */
  isAtEnd(): Promise<boolean>;
  /** Exactly so many bytes; BodyFault when the chunks end before. */
  take(bytes: number): Promise<Buffer>;
  /** An Avro long; BodyFault where it is none that a length could be. */
  takeLong(): Promise<number>;
}

const MOST_LONG_BYTES = 8;

export function createChunkReader(chunks: AsyncIterable<Buffer>): ChunkReader {
  const source = chunks[Symbol.asyncIterator]();
  let parts: Buffer[] = [];
  let held = 0;

  async function more(): Promise<boolean> {
    const next = await source.next();
    if (next.done) return false;
    parts.push(next.value);
    held += next.value.length;
    return true;
  }

  async function take(bytes: number): Promise<Buffer> {
    while (held < bytes) {
      if (!(await more())) throw new BodyFault('the Avro container is cut short');
    }
    const [first = Buffer.alloc(0)] = parts;
    const whole = first.length >= bytes ? first : Buffer.concat(parts);
    parts = whole === first ? parts.slice(1) : [];
    if (whole.length > bytes) parts.unshift(whole.subarray(bytes));
    held -= bytes;
    return whole.subarray(0, bytes);
  }

  return {
    take,
    async isAtEnd() {
      while (held === 0) if (!(await more())) return true;
      return false;
    },
    async takeLong() {
      let value = 0;
      for (let n = 0; n < MOST_LONG_BYTES; n++) {
        const [byte = 0] = await take(1);
        value += (byte & 0x7f) * 128 ** n;
        if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      }
      throw new BodyFault('the Avro container has a number of more than 56 bits where a length belongs');
    },
  };
}
