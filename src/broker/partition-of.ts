const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** murmur2 as a signed 32-bit integer, bit for bit that of Java's `org.apache.kafka.common.utils.Utils`. */
export function murmur2(data: Buffer): number {
  const wordsEnd = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let at = 0; at < wordsEnd; at += 4) {
    let word = Math.imul(data.readInt32LE(at), M);
    word = Math.imul(word ^ (word >>> 24), M);
    hash = Math.imul(hash, M) ^ word;
  }
  let tail = 0;
  for (let at = data.length - 1; at >= wordsEnd; at--) {
    tail = (tail << 8) | data.readUInt8(at);
  }
  if (wordsEnd < data.length) {
    hash = Math.imul(hash ^ tail, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/** The partition of a key, as Java's default partitioner and kafkajs choose it, so that every producer agrees. */
export function partitionOf(key: string | Buffer, partitions: number): number {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  return (murmur2(bytes) & 0x7fffffff) % partitions;
}
