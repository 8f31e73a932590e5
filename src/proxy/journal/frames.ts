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

export interface Frame {
  readonly kind: FrameKind;
  readonly sinceUs: number;
  readonly bytes: Uint8Array;
}

export const FRAME_HEAD_BYTES = 1 + 6 + 4;

/** Frames in a row. What most of them fit into is the same memory each time: it is to be written before the next are. */
export function framesAsBytes(frames: readonly Frame[]): Buffer {
  let length = 0;
  for (const { bytes } of frames) length += FRAME_HEAD_BYTES + bytes.length;
  const all = length <= SHARED.length ? SHARED.subarray(0, length) : Buffer.allocUnsafe(length);
  let at = 0;
  for (const { kind, sinceUs, bytes } of frames) {
    all.writeUInt8(kind, at);
    all.writeUIntLE(Math.max(0, Math.round(sinceUs)), at + 1, 6);
    all.writeUInt32LE(bytes.length, at + 7);
    all.set(bytes, at + FRAME_HEAD_BYTES);
    at += FRAME_HEAD_BYTES + bytes.length;
  }
  return all;
}

const SHARED = Buffer.allocUnsafeSlow(512 * 1024);
