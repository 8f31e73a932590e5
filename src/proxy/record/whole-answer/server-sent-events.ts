const [LF, CR] = [0x0a, 0x0d];
const DONE = '[DONE]';
const DATA = Buffer.from('data');

export interface ServerSentEvents {
  /** The data of each event, in order, without `[DONE]`. */
  readonly events: readonly Buffer[];
  /** The stream said that it was done. */
  readonly isDone: boolean;
  /** Data behind the last blank line: the stream was cut before the event was told to be whole. null: there is none. */
  readonly torn: Buffer | null;
}

/** Server-sent events of a whole body: lines end as LF, CR or CRLF; comments, names and ids say nothing here. */
export function serverSentEvents(body: Buffer): ServerSentEvents {
  const events: Buffer[] = [];
  let isDone = false;
  let data: Buffer[] = [];
  const dispatch = (): void => {
    const [first] = data;
    if (first === undefined) return;
    const whole =
      data.length === 1 ? first : Buffer.concat(data.flatMap((line, i) => (i === 0 ? [line] : [NEWLINE, line])));
    data = [];
    if (whole.length === DONE.length && whole.toString('latin1') === DONE) isDone = true;
    else if (whole.length > 0) events.push(whole);
  };
  let at = startOf(body);
  while (at < body.length) {
    const end = lineEnd(body, at);
    if (end === at) dispatch();
    else {
      const value = dataOf(body, at, end);
      if (value !== null) data.push(value);
    }
    at = end + (body[end] === CR && body[end + 1] === LF ? 2 : 1);
  }
  const torn = data.length === 0 ? null : Buffer.concat(data);
  // Engines end their streams with it, and some of them without the blank line.
  const isMarker = torn?.toString('latin1') === DONE;
  return { events, isDone: isDone || isMarker, torn: isMarker ? null : torn };
}

const NEWLINE = Buffer.from('\n');

/** A byte order mark is no part of the first line. */
function startOf(body: Buffer): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}

function lineEnd(body: Buffer, from: number): number {
  const lf = body.indexOf(LF, from);
  const end = lf === -1 ? body.length : lf;
  const cr = body.subarray(from, end).indexOf(CR);
  return cr === -1 ? end : from + cr;
}

/** null: a comment, or another field. */
function dataOf(body: Buffer, from: number, end: number): Buffer | null {
  const colon = from + DATA.length;
  if (!body.subarray(from, Math.min(colon, end)).equals(DATA)) return null;
  if (colon === end) return Buffer.alloc(0);
  if (body[colon] !== 0x3a) return null;
  return trimmed(body.subarray(colon + 1, end));
}

function trimmed(value: Buffer): Buffer {
  let [from, to] = [0, value.length];
  while (from < to && isBlank(value[from])) from++;
  while (to > from && isBlank(value[to - 1])) to--;
  return value.subarray(from, to);
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
