/** What the logprobs of one completion say of themselves. Places count its tokens. */
export interface LogprobScan {
  readonly tokens: number;
  /** NaN, infinite, or what servers write instead (-9999, -100, or less): how many, and the first; -1: none. */
  readonly invalid: number;
  readonly firstInvalid: number;
  /** Above 0 by more than rounding. */
  readonly positive: number;
  readonly firstPositive: number;
  /** Exactly 0: how many, and how many of those the completion ends with. */
  readonly zeros: number;
  readonly tailZeros: number;
  /** The longest run of them before. */
  readonly longestZeros: number;
  readonly firstIsZero: boolean;
  /** All are the value of the first. */
  readonly isConstant: boolean;
  readonly first: number;
}

/** A softmax in float32 that rounds up gives a little more than 0. */
const MOST_ROUNDING = 1e-4;
const CLAMP = -100;
/** No model gives a token that it samples less: servers write -9999 for minus infinity. */
const LEAST = -9999;
const BYTES = 4;

/** Little-endian float32 of any alignment, read where they are. */
export function scanLogprobs(bytes: Uint8Array): LogprobScan {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tokens = Math.floor(bytes.byteLength / BYTES);
  const first = tokens > 0 ? view.getFloat32(0, true) : Number.NaN;
  let invalid = 0;
  let firstInvalid = -1;
  let positive = 0;
  let firstPositive = -1;
  let zeros = 0;
  let lastNonZero = -1;
  let longestZeros = 0;
  let isConstant = tokens > 0;
  for (let i = 0; i < tokens; i++) {
    const value = view.getFloat32(i * BYTES, true);
    if (value !== first) isConstant = false;
    if (value === 0) {
      zeros += 1;
      continue;
    }
    if (i - lastNonZero - 1 > longestZeros) longestZeros = i - lastNonZero - 1;
    lastNonZero = i;
    // In the order in which it is seldom true; NaN is in no range.
    if (value < 0 && value > LEAST && value !== CLAMP) continue;
    if (value > 0 && value <= MOST_ROUNDING) continue;
    if (value > 0 && value !== Number.POSITIVE_INFINITY) {
      positive += 1;
      if (firstPositive < 0) firstPositive = i;
    } else {
      invalid += 1;
      if (firstInvalid < 0) firstInvalid = i;
    }
  }
  const tailZeros = tokens - 1 - lastNonZero;
  const firstIsZero = first === 0;
  // Field by field: a spread would cost more than the scan.
  return {
    tokens,
    invalid,
    firstInvalid,
    positive,
    firstPositive,
    zeros,
    tailZeros,
    longestZeros,
    firstIsZero,
    isConstant,
    first,
  };
}
