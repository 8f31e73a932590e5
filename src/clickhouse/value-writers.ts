import type { RowBinaryWriter } from './row-binary.ts';

/** Writers of single values, for `nullable`, `array` and `map`. */
export const asString = (writer: RowBinaryWriter, value: string): void => writer.string(value);
export const asBlob = (writer: RowBinaryWriter, value: Uint8Array): void => writer.blob(value);
export const asInt32 = (writer: RowBinaryWriter, value: number): void => writer.int32(value);
export const asUint32 = (w: RowBinaryWriter, value: number): void => w.uint32(value);
export const asInt64 = (writer: RowBinaryWriter, value: number): void => writer.int64(value);
export const asFloat64 = (writer: RowBinaryWriter, value: number): void => writer.float64(value);
export const asBool = (writer: RowBinaryWriter, value: boolean): void => writer.bool(value);
export const asNullableString = (writer: RowBinaryWriter, value: string | null | undefined): void =>
  writer.nullable(value, asString);
export const asNullableBlob = (writer: RowBinaryWriter, value: Uint8Array | null | undefined): void =>
  writer.nullable(value, asBlob);
export const asNullableInt32 = (writer: RowBinaryWriter, value: number | null | undefined): void =>
  writer.nullable(value, asInt32);
export const asNullableInt64 = (writer: RowBinaryWriter, value: number | null | undefined): void =>
  writer.nullable(value, asInt64);
export const asNullableFloat64 = (writer: RowBinaryWriter, value: number | null | undefined): void =>
  writer.nullable(value, asFloat64);
/** Int64 µs since the epoch: what DateTime64(6) is on the wire. */
export const asNullableMicros = (writer: RowBinaryWriter, value: number | null | undefined): void =>
  writer.nullable(value, asInt64);
