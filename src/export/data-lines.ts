import { type LeftOut, readLeftOut } from './left-out.ts';

const NEWLINE = 0x0a;

/** The lines of an export that are data, whole, as bytes; of the others it tells. */
export async function* dataLines(
  bytes: AsyncIterable<Buffer>,
  tell: { readonly line: () => void; readonly leftOut: (leftOut: LeftOut) => void },
): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest.push(piece);
      continue;
    }
    const lines = linesIn(Buffer.concat([...rest, piece.subarray(0, end)]));
    rest = [piece.subarray(end)];
    const data = lines.filter((line) => {
      const leftOut = readLeftOut(line);
      if (leftOut === null) tell.line();
      else tell.leftOut(leftOut);
      return leftOut === null;
    });
    yield Buffer.concat(data);
  }
}

function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, from) + 1;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}
