/** Of all lengths one memory: nobody writes into what came of an event. */
let memory = Buffer.alloc(1 << 16);
const known: Buffer[] = [];
const MOST_KNOWN = 1 << 14;

/** What stands for so many token ids or logprobs that are not read. */
export function zeroWords(count: number): Buffer {
  const found = known[count];
  if (found !== undefined) return found;
  const length = 4 * count;
  if (length > memory.length) memory = Buffer.alloc(2 ** Math.ceil(Math.log2(length)));
  const zeros = memory.subarray(0, length);
  // (Only from small to large, so that the list has no holes of a million places.)
  if (count < MOST_KNOWN) known[count] = zeros;
  return zeros;
}
