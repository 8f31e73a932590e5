import type { QueryParams } from './port.ts';

/** Runs statements on an engine, in this process or over the wire. Errors come as they were thrown, for `store-error.ts`. */
export interface Statements {
  run(sql: string, params?: QueryParams): Promise<void>;
  /** Bytes, not text: a string in a row may hold lone surrogates, which UTF-8 decoding would lose. */
  read(sql: string, params?: QueryParams): Promise<Buffer>;
  close(): Promise<void>;
}
