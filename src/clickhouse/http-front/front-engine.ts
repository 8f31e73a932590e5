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

export interface FrontEngine {
  readonly run: RunStatement;
  close(): Promise<void>;
}

type Connection = ReturnType<typeof chdbConnection>;

/** Idle connections that are kept; one costs 7 ms to open, and a lane asks the same again and again. */
const IDLE_AT_MOST = 16;

/**
 * Settings stick to a connection and readonly cannot be taken back, so that one serves statements of the same settings and the
 * same names of parameters alone. Parameters are SET on it: the binding's own way lets one statement with parameters run at a
 * time in the whole process, so that a user's long one would hold up the lanes'.
 */
export function createFrontEngine(path: string): FrontEngine {
  const idle: Array<{ readonly key: string; readonly connection: Connection }> = [];
  let closed = false;

  async function take(key: string, settings: EngineStatement['settings']): Promise<Connection> {
    const at = idle.findLastIndex((one) => one.key === key);
    const [kept] = at < 0 ? [] : idle.splice(at, 1);
    if (kept !== undefined) return kept.connection;
    const connection = chdbConnection(path);
    try {
      const before = ['USE rollstream', ...settings.map(([name, value]) => `SET ${name} = ${sqlString(value)}`)];
      await connection.command({ query: before.join('; ') });
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function give(key: string, connection: Connection): Promise<void> {
    idle.push({ key, connection });
    const oldest = closed || idle.length > IDLE_AT_MOST ? idle.shift() : undefined;
    await oldest?.connection.close();
  }

  return {
    async run({ sql, settings, params, signal }) {
      signal.throwIfAborted();
      const key = JSON.stringify([settings, [...params.keys()].sort()]);
      const connection = await take(key, settings);
      try {
        const before = [...params].map(([name, value]) => `SET param_${name} = ${sqlString(value)}`);
        if (before.length > 0) await connection.command({ query: before.join('; ') });
        const { stream, summary } = await connection.exec({ query: sql });
        const answer = { body: await buffer(stream), summary: { ...summary } };
        await give(key, connection);
        return answer;
      } catch (error) {
        // Rows that it had given before it failed would lead the next answer.
        await connection.close();
        throw error;
      }
    },
    async close() {
      closed = true;
      await Promise.all(idle.splice(0).map(({ connection }) => connection.close()));
    },
  };
}
