/** Where a chunk of records is stored: topic id, partition, offset of its first record, all big-endian, so that keys sort in log order. */
export function chunkKey(topicId: number, partition: number, offset: number): Buffer {
  const key = Buffer.allocUnsafe(16);
  key.writeUInt32BE(topicId, 0);
  key.writeUInt32BE(partition, 4);
  key.writeBigUInt64BE(BigInt(offset), 8);
  return key;
}

/** The first offset of the chunk under a key. */
export function baseOffsetOf(key: Buffer): number {
  return Number(key.readBigUInt64BE(8));
}

/** The partition of the chunk under a key. */
export function partitionOfChunk(key: Buffer): number {
  return key.readUInt32BE(4);
}
