import { isJsonSpace } from '../is-json-space.ts';
import { createLine, MAX_LINE_BYTES, type SourceLine } from '../line-reader.ts';
import { BodyFault } from './read-step.ts';

/** Bytes that tell what a document is. */
const HEAD_BYTES = 1024;
const ARRAY = /^(?:\xef\xbb\xbf)?\s*\[/;

/**
 * The records of a JSON document, byte for byte and one at a time: of an array, of the array under `name` in an object that begins
 * with it, else the document itself. No more than one record is in memory. Behind what is no JSON BodyFault is thrown.
 */
export async function* jsonElements(
  chunks: AsyncIterable<Buffer>,
  name: string,
  limitBytes = MAX_LINE_BYTES,
): AsyncGenerator<SourceLine> {
  const source = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isAll = false;
  while (head.length < HEAD_BYTES && !isAll) {
    const next = await source.next();
    if (next.done) isAll = true;
    else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => source };
  const text = head.toString('latin1');
  const wrapped = new RegExp(`^(?:\\xef\\xbb\\xbf)?\\s*\\{\\s*"${name}"\\s*:\\s*\\[`).exec(text);
  const opening = wrapped ?? ARRAY.exec(text);
  if (opening === null) {
    yield* wholeDocument(head, rest, limitBytes);
    return;
  }
  const scan = createScan(limitBytes, wrapped === null ? '' : '}');
  yield* scan.elements(head.subarray(opening[0].length));
  for await (const chunk of rest) yield* scan.elements(chunk);
  scan.end();
}

async function* wholeDocument(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<SourceLine> {
  const document = createLine(limitBytes, 1);
  document.add(head);
  for await (const chunk of rest) document.add(chunk);
  const whole = document.finish(true);
  if (whole === null) throw new BodyFault('the body is empty: JSON is needed');
  yield whole;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const END_OF_ARRAY = 0x5d;

/** Nearly all bytes of a record mean nothing to its end: they are passed over by table. */
const [PLAIN, OPENING, CLOSING, STRING, BREAK] = [0, 1, 2, 3, 4];
const KIND = new Uint8Array(256);
for (const byte of [0x5b, 0x7b]) KIND[byte] = OPENING;
for (const byte of [0x5d, 0x7d]) KIND[byte] = CLOSING;
for (const byte of [COMMA, 0x20, 0x0a, 0x0d, 0x09]) KIND[byte] = BREAK;
KIND[QUOTE] = STRING;

/** Cuts what stands in an array into its elements; `closing` has to follow the array, and then nothing. */
function createScan(limitBytes: number, closing: string) {
  const element = createLine(limitBytes, 1);
  /** first: an element or the end; value: an element; inside one; after one; tail: behind the array. */
  let state: 'first' | 'value' | 'inside' | 'after' | 'tail' = 'first';
  /** Brackets that are open within the element. */
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let owed = closing;

  /** Index behind the string, or the end of the chunk where it goes on. */
  function stringEnd(chunk: Buffer, from: number): number {
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        isInString = false;
        return at + 1;
      }
    }
    return at;
  }

  /** Index behind the element, or the end of the chunk where it goes on. */
  function elementEnd(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (isInString) {
        at = stringEnd(chunk, at);
        if (!isInString && depth === 0) return close(at);
        continue;
      }
      const kind = KIND[chunk[at] ?? 0] ?? PLAIN;
      if (depth === 0 && (kind === BREAK || kind === CLOSING)) return close(at);
      at++;
      if (kind === PLAIN || kind === BREAK) continue;
      if (kind === STRING) isInString = true;
      else if (kind === OPENING) depth++;
      else {
        depth--;
        if (depth === 0) return close(at);
      }
    }
    return at;
  }

  function close(at: number): number {
    state = 'after';
    return at;
  }

  /** A byte between elements. */
  function step(byte: number): void {
    if (isJsonSpace(byte)) return;
    const mayEnd = state === 'first' || state === 'after';
    if (mayEnd && byte === END_OF_ARRAY) state = 'tail';
    else if (state === 'after' && byte === COMMA) state = 'value';
    else if (state === 'tail' && owed !== '' && byte === owed.charCodeAt(0)) owed = '';
    else {
      const wanted = { first: 'a record or ]', value: 'a record', inside: '', after: ', or ]', tail: owed };
      const next = wanted[state] === '' ? 'nothing' : wanted[state];
      throw new BodyFault(`malformed JSON: expected ${next} and got ${JSON.stringify(String.fromCharCode(byte))}`);
    }
  }

  return {
    *elements(chunk: Buffer): Generator<SourceLine> {
      let at = 0;
      while (at < chunk.length) {
        const byte = chunk[at] ?? 0;
        const kind = KIND[byte] ?? PLAIN;
        const mayBegin = state === 'first' || state === 'value';
        if (mayBegin && kind !== BREAK && kind !== CLOSING) state = 'inside';
        if (state !== 'inside') {
          step(byte);
          at++;
          continue;
        }
        const end = elementEnd(chunk, at);
        element.add(chunk.subarray(at, end));
        at = end;
        if (!isInside()) {
          const whole = element.finish(true);
          if (whole !== null) yield whole;
        }
      }
    },
    end(): void {
      if (state !== 'tail' || owed !== '') throw new BodyFault('the JSON of the body is cut short');
    },
  };

  function isInside(): boolean {
    return state === 'inside';
  }
}
