/** Payloads that were just read, so that a lease right after an arrival does not read them again. */
export interface RecordCache {
  get(offset: number): Buffer | undefined;
  put(offset: number, record: Buffer): void;
}

/** The oldest go first once there are more than `mostBytes`. */
export function createRecordCache(mostBytes: number): RecordCache {
  const kept = new Map<number, Buffer>();
  let bytes = 0;

  const drop = (offset: number): void => {
    bytes -= kept.get(offset)?.length ?? 0;
    kept.delete(offset);
  };

  return {
    get: (offset) => kept.get(offset),
    put(offset, record) {
      drop(offset);
      if (record.length > mostBytes) return;
      // What the log gives is a part of a larger buffer, which it would keep alive.
      kept.set(offset, record.buffer.byteLength > 2 * record.length ? Buffer.from(record) : record);
      bytes += record.length;
      for (const oldest of kept.keys()) {
        if (bytes <= mostBytes) return;
        drop(oldest);
      }
    },
  };
}
