/**
 * 52 bits of an event id (two FNV-1a of 32 bits with other seeds, one of them cut): told apart from the ids of the same
 * attempt only, where a collision has odds of about 2^-52 a pair. An id would cost 60 bytes of every open event.
 */
export function hashOfId(id: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x01000193) + (high >>> 15);
  }
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0);
}
