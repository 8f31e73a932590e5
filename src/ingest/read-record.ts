import { parseExactBytes } from './exact-json.ts';
import { isObject, type JsonObject } from './exact-number.ts';
import { ARRAY, type Refusal } from './importer.ts';
import { MAX_LINE_BYTES, type SourceLine } from './line-reader.ts';
import { MAX_DOCUMENT_BYTES } from './read-document.ts';

export type ReadRecord =
  | { readonly value: JsonObject; readonly duplicateKeys: readonly string[] }
  | { readonly refused: Refusal };

/** The JSON object of a line, or of a whole document, which may be an array too; or why it has none. */
export function readRecord(line: SourceLine, isDocument = false): ReadRecord {
  if (line.bytes === null) {
    const what = isDocument ? 'document' : 'line';
    const most = isDocument ? MAX_DOCUMENT_BYTES : MAX_LINE_BYTES;
    return refused(`a ${what} of ${line.length} bytes`, `a ${what} of at most ${most} bytes`, `${line.length} bytes`);
  }
  const parsed = parseExactBytes(line.bytes);
  if (parsed === null) return refused('not UTF-8', 'UTF-8', 'bytes that are not UTF-8');
  if (parsed.kind === 'malformed') {
    return line.ended
      ? refused(`malformed JSON: ${parsed.message}`, 'JSON', parsed.message)
      : refused(`torn last line: ${parsed.message}`, 'a whole line', parsed.message);
  }
  if (isDocument && Array.isArray(parsed.value)) {
    return { value: { [ARRAY]: parsed.value }, duplicateKeys: parsed.duplicateKeys };
  }
  if (!isObject(parsed.value)) return refused('not a JSON object', 'a JSON object', 'other JSON');
  return { value: parsed.value, duplicateKeys: parsed.duplicateKeys };
}

function refused(message: string, expected: string, got: string): ReadRecord {
  return { refused: { message, field: '', expected, got } };
}
