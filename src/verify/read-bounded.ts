/** The body as text; null: it is longer, and the rest is not read. */
export async function readBounded({ body }: Response, mostBytes: number): Promise<string | null> {
  if (body === null) return '';
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    // Leaving the loop cancels the body.
    if (bytes > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
