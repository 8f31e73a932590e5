import { buffer } from 'node:stream/consumers';
import { chdbConnection } from '../chdb-connection.ts';
import { sqlString } from '../sql-string.ts';

/** What a statement gave. */
export interface EngineAnswer {
  readonly body: Buffer;
  /** Rows and bytes, by the engine's count. */
  readonly summary: Readonly<Record<string, unknown>>;
}

export interface EngineStatement {
  readonly sql: string;
  /** Names are checked; set in this order. */
  readonly settings: ReadonlyArray<readonly [string, string]>;
  /** Values as HTTP gives them: escaped text. */
  readonly params: ReadonlyMap<string, string>;
  /** Aborted when nobody waits for the answer any more: what has not begun is not begun. */
  readonly signal: AbortSignal;
}

export type RunStatement = (statement: EngineStatement) => Promise<EngineAnswer>;

/**
 * Each statement has a connection of its own (about 1 ms), since settings stick to one and readonly cannot be taken back.
 * Parameters are SET on it: the binding's own way lets one statement with parameters run at a time in the whole process, so
 * that a user's long one would hold up the lanes'.
 */
export function createFrontEngine(path: string): RunStatement {
  return async function runStatement({ sql, settings, params, signal }) {
    signal.throwIfAborted();
    const connection = chdbConnection(path);
    try {
      const before = ['USE rollstream'];
      for (const [name, value] of params) before.push(`SET param_${name} = ${sqlString(value)}`);
      for (const [name, value] of settings) before.push(`SET ${name} = ${sqlString(value)}`);
      await connection.command({ query: before.join('; ') });
      const { stream, summary } = await connection.exec({ query: sql });
      return { body: await buffer(stream), summary: { ...summary } };
    } finally {
      await connection.close();
    }
  };
}
