import type { Refusal } from './importer.ts';

export interface ImportReport {
  readonly records_read: number;
  readonly events: number;
  readonly refused: number;
  readonly files: readonly FileReport[];
  /** The first messages, as they were told. */
  readonly messages: readonly string[];
}

export interface FileReport {
  readonly path: string;
  /** null: not taken. */
  readonly format: string | null;
  /** Why it was taken for that, or what it is instead. */
  readonly why: string;
  readonly lines: number;
  readonly refused: number;
}

/** What can be told while it runs. */
export interface ImportListener {
  /** One refusal, or a thing worth knowing about a file. */
  message?(text: string): void;
  /** Bytes of the files read so far and in all (0: not known), and events. */
  progress?(done: { readonly bytes: number; readonly totalBytes: number; readonly events: number }): void;
}

/** Messages that the report repeats. */
const MAX_MESSAGES = 100;

export interface Tally {
  records: number;
  events: number;
  refused: number;
  /** Messages beyond the first are told, not kept. */
  readonly messages: string[];
  tell(text: string): void;
}

export function createTally(listener: ImportListener): Tally {
  const messages: string[] = [];
  return {
    records: 0,
    events: 0,
    refused: 0,
    messages,
    tell(text) {
      if (messages.length < MAX_MESSAGES) messages.push(text);
      listener.message?.(text);
    },
  };
}

export function wholeFile(message: string): Refusal {
  return { message, field: '', expected: 'a file of a known format', got: message };
}
