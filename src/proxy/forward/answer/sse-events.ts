const LF = 0x0a;
const CR = 0x0d;

/**
 * Cuts a stream of bytes into server-sent events, whatever the pieces that they come in: an event is its lines with their ends, the
 * empty one included. Lines end in LF, CRLF or CR; a LF that comes after the CR that ended an event is a piece of its own.
 */
export class SseEvents {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The line that is being read has no bytes yet. */
  #isLineEmpty = true;
  #wasCr = false;

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  push(chunk: Buffer): Buffer[] {
    const events: Buffer[] = [];
    let from = 0;
    let line = 0;
    const take = (to: number): void => {
      events.push(this.#taken(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to)));
      from = to;
    };
    const hasCr = this.#wasCr || chunk.includes(CR);
    for (;;) {
      const end = endOfLine(chunk, line, hasCr);
      if (end === -1) break;
      const isPairEnd = this.#wasCr && end === 0 && line === 0 && chunk[0] === LF;
      this.#wasCr = false;
      if (isPairEnd) {
        line = 1;
        // The event that its CR ended is gone already.
        if (this.#pendingBytes === 0 && this.#isLineEmpty) take(1);
        continue;
      }
      const isEmpty = this.#isLineEmpty && end === line;
      this.#isLineEmpty = true;
      line = end + 1;
      if (chunk[end] === CR) {
        if (chunk[line] === LF) line += 1;
        else if (line === chunk.length) this.#wasCr = true;
      }
      if (isEmpty) take(line);
    }
    if (line < chunk.length) {
      this.#isLineEmpty = false;
      this.#wasCr = false;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return events;
  }

  /** What is left, and no whole event. */
  rest(): Buffer {
    return this.#taken(Buffer.alloc(0));
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  #taken(last: Buffer): Buffer {
    if (this.#pending.length === 0) return last;
    const whole = Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }
}

function endOfLine(chunk: Buffer, from: number, hasCr: boolean): number {
  const lf = chunk.indexOf(LF, from);
  if (!hasCr) return lf;
  const cr = chunk.indexOf(CR, from);
  return cr !== -1 && (lf === -1 || cr < lf) ? cr : lf;
}

/** Where the text of the one `data` line of an event stands; null: it has none, or several. */
export function dataOf(event: Buffer): { readonly start: number; readonly end: number } | null {
  let found: { start: number; end: number } | null = null;
  const hasCr = event.includes(CR);
  for (let line = 0; line < event.length; ) {
    const end = endOfLine(event, line, hasCr);
    const stop = end === -1 ? event.length : end;
    if (isData(event, line, stop)) {
      if (found !== null) return null;
      const start = line + 5;
      found = { start: event[start] === 0x20 ? start + 1 : start, end: stop };
    }
    line = stop + 1;
  }
  return found;
}

const DATA = Buffer.from('data:');

function isData(event: Buffer, from: number, end: number): boolean {
  return end - from >= DATA.length && DATA.every((byte, at) => event[from + at] === byte);
}
