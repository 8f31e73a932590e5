import type { Readable } from 'node:stream';

/** All that a stream gives. The engine in this process gives an answer as one piece: that one is not copied. */
export async function wholeOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}
