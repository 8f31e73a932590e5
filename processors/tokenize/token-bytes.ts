import { bytesOfToken } from './byte-alphabet.ts';

/** Bytes of all tokens of a byte-level tokenizer: one pool, by id. */
export interface TokenBytes {
  readonly size: number;
  readonly has: (id: number) => boolean;
  readonly decode: (ids: Uint32Array, from: number, to: number) => Uint8Array;
}

/** Of texts by id; a later entry of an id stands. */
export function createTokenBytes(tokens: Iterable<readonly [id: number, text: string]>): TokenBytes {
  const byId: (Uint8Array | undefined)[] = [];
  for (const [id, text] of tokens) {
    while (byId.length < id) byId.push(undefined);
    byId[id] = bytesOfToken(text);
  }
  const size = byId.length;
  const starts = new Uint32Array(size + 1);
  const known = new Uint8Array(size);
  let total = 0;
  for (const [id, bytes] of byId.entries()) {
    starts[id] = total;
    known[id] = bytes === undefined ? 0 : 1;
    total += bytes?.length ?? 0;
  }
  starts[size] = total;
  const pool = new Uint8Array(total);
  for (const [id, bytes] of byId.entries()) if (bytes !== undefined) pool.set(bytes, starts[id]);
  return {
    size,
    has: (id) => known[id] === 1,
    decode: (ids, from, to) => {
      let length = 0;
      for (let at = from; at < to; at++) {
        const id = ids[at] ?? 0;
        if (known[id] !== 1) throw new RangeError(`the tokenizer has no id ${id}`);
        length += (starts[id + 1] ?? 0) - (starts[id] ?? 0);
      }
      const bytes = new Uint8Array(length);
      let written = 0;
      for (let at = from; at < to; at++) {
        const id = ids[at] ?? 0;
        const end = starts[id + 1] ?? 0;
        for (let byte = starts[id] ?? 0; byte < end; byte++) bytes[written++] = pool[byte] ?? 0;
      }
      return bytes;
    },
  };
}
