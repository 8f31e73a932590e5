/** First added token in `[from, end)`: where it begins is answered, where it ends and which it is are in `found`. -1: there is none. */
export interface FindAddedToken {
  readonly found: { end: number; id: number };
  readonly find: (bytes: Uint8Array, from: number, end: number) => number;
}

interface Node {
  /** -1: no token ends here. */
  id: number;
  readonly next: Map<number, Node>;
}

/** Leftmost, of those the longest. */
export function createFindAddedToken(contents: ReadonlyMap<number, string>): FindAddedToken {
  const root: Node = { id: -1, next: new Map() };
  const begins = new Uint8Array(256);
  for (const [id, content] of contents) {
    let node = root;
    for (const byte of new TextEncoder().encode(content)) {
      if (node === root) begins[byte] = 1;
      let next = node.next.get(byte);
      if (next === undefined) {
        next = { id: -1, next: new Map() };
        node.next.set(byte, next);
      }
      node = next;
    }
    node.id = id;
  }
  const found = { end: 0, id: -1 };
  return {
    found,
    find: (bytes, from, end) => {
      for (let start = from; start < end; start++) {
        if (begins[bytes[start] ?? 0] === 0) continue;
        found.id = -1;
        let node: Node | undefined = root;
        for (let at = start; at < end; at++) {
          node = node.next.get(bytes[at] ?? 0);
          if (node === undefined) break;
          if (node.id === -1) continue;
          found.id = node.id;
          found.end = at + 1;
        }
        if (found.id !== -1) return start;
      }
      return -1;
    },
  };
}
