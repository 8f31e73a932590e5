import { encodePart } from '../../processors/model/unit.ts';
import type { ExportFormat } from './export-query.ts';

const ENDINGS: Readonly<Record<ExportFormat, string>> = {
  parquet: 'parquet',
  jsonl: 'jsonl',
  messages: 'messages.jsonl',
};

/** `<run>.parquet`: percent-encoded, so that no run leaves its folder, and two runs never share a file. */
export function exportFileName(runId: string, format: ExportFormat): string {
  // A leading dot would hide it.
  const name = encodePart(runId).replace(/^\./, '%2E');
  return `${name === '' ? '%' : name}.${ENDINGS[format]}`;
}
