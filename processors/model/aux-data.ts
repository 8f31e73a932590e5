/** Bytes of an element, by what producers call its type. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  ...{ bool: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8 },
  ...{ float16: 2, bfloat16: 2, float32: 4, float64: 8 },
};

export function isIntegerType(dtype: string): boolean {
  return /^u?int/.test(dtype) && Object.hasOwn(ELEMENT_BYTES, dtype);
}

/** Bytes of data of that shape; null: it is none. A number beyond 2^53 is the length of nothing. */
export function auxBytes(shape: readonly number[], dtype: string): number | null {
  const element = Object.hasOwn(ELEMENT_BYTES, dtype) ? ELEMENT_BYTES[dtype] : undefined;
  if (element === undefined || shape.some((size) => !Number.isSafeInteger(size) || size < 0)) return null;
  const bytes = shape.reduce((product, size) => product * size, element);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
