/** What stands in the file of a call: frames of kind (u8), µs since the call began (u48), length (u32), bytes; little-endian. */
export const FRAME = {
  /** CallHead, JSON; the last one holds. */
  head: 1,
  /** The request's body as the client sent it, whole. */
  request: 2,
  /** AnswerHead, JSON. */
  answer: 3,
  /** A piece of the upstream's body, as it came: what the client is sent is cut out of it, and never comes before it stands here. */
  piece: 4,
  /** CallEnd, JSON. */
  end: 5,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export const FRAME_HEAD_BYTES = 1 + 6 + 4;

export function frameHead(kind: FrameKind, sinceUs: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUIntLE(Math.max(0, Math.round(sinceUs)), 1, 6);
  head.writeUInt32LE(length, 7);
  return head;
}
