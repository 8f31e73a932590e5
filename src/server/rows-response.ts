import { jsonArrayOf } from '../access/query-rows.ts';
import { bad } from './request-value.ts';

const CONTENT_TYPES = { json: 'application/json', jsonl: 'application/x-ndjson', csv: 'text/csv' } as const;

/** How rows are answered: an array, JSON Lines, or CSV with a line of names. */
export type AnsweredFormat = keyof typeof CONTENT_TYPES;

/** What a request asks for; left out: json. */
export function rowsFormatAsked(value: unknown): AnsweredFormat {
  if (value === undefined || value === 'json') return 'json';
  if (value === 'jsonl' || value === 'csv') return value;
  throw bad('format', 'format: json, jsonl or csv');
}

/** `text`: what the store answered, JSON Lines or CSV. */
export function rowsResponse(text: string, format: AnsweredFormat): Response {
  return new Response(format === 'json' ? jsonArrayOf(text) : text, {
    headers: { 'content-type': CONTENT_TYPES[format] },
  });
}
