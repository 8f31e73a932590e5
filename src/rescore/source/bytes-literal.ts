import { RowBinaryWriter } from '../../clickhouse/row-binary.ts';

/** A text as a constant that survives lone surrogates, quotes and NUL: its bytes, as columns hold them. */
export function bytesLiteral(text: string): string {
  if (/^[\w/.~%@:-]*$/.test(text)) return `'${text}'`;
  const writer = new RowBinaryWriter(text.length * 3 + 8);
  writer.string(text);
  const bytes = Buffer.from(writer.bytes);
  const length = Buffer.byteLength(text);
  return `unhex('${bytes.toString('hex', bytes.length - length)}')`;
}
