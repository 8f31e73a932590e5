/** Bytes that are handed to the socket at once: small parts one by one cost twice the time of their bytes, larger pieces gain nothing. */
const PIECE_BYTES = 2 ** 20;

/**
 * A response of parts, made as the client reads them: one that never reads holds a piece, beside what the parts are made of. What
 * fits one piece is sent whole.
 */
export function piecewise(parts: Iterable<Uint8Array>, headers: Readonly<Record<string, string>>): Response {
  const pieces = piecesOf(parts);
  const first = pieces.next();
  const second = pieces.next();
  if (second.done === true) return new Response(first.done === true ? null : first.value, { headers });
  const ahead = [first, second];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = ahead.shift() ?? pieces.next();
        if (piece.done === true) controller.close();
        else controller.enqueue(piece.value);
      },
      cancel() {
        ahead.length = 0;
        pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}

function* piecesOf(parts: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    held.push(part);
    bytes += part.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}
