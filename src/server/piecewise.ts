/** Bytes that are handed to the socket at once: small parts one by one cost twice the time of their bytes, larger pieces gain nothing. */
const PIECE_BYTES = 2 ** 20;

type Parts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * A response of parts, made as the client reads them: of one that never reads two pieces are held, each as large as its last part
 * makes it, beside what the parts are made of (of a batch: its records). What fits one piece is sent whole. What fails before there are two is an error; later it cuts the connection.
 */
export async function piecewise(parts: Parts, headers: Readonly<Record<string, string>>): Promise<Response> {
  const pieces = piecesOf(parts);
  const first = await pieces.next();
  const second = await pieces.next();
  if (second.done === true) return new Response(first.done === true ? null : first.value, { headers });
  const ahead = [first, second];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = ahead.shift() ?? (await pieces.next());
        if (piece.done === true) controller.close();
        else controller.enqueue(piece.value);
      },
      async cancel() {
        ahead.length = 0;
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}

async function* piecesOf(parts: Parts): AsyncGenerator<Uint8Array, void, void> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    held.push(part);
    bytes += part.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}
