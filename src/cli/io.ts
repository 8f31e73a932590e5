import type { Readable, Writable } from 'node:stream';

/** What the process offers a command; tests bring their own. */
export interface Io {
  /** Without node and script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Tables and colour only there. */
  readonly stdoutIsTerminal: boolean;
  /** Progress bars only there. */
  readonly stderrIsTerminal: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Calls back at each SIGINT and SIGTERM, until the returned function is called. */
  onStop(callback: () => void): () => void;
  /** Ends the process at once: what the second Ctrl-C asks for. */
  exitNow(code: number): void;
}

export function processIo(): Io {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    now: Date.now,
    onStop(callback) {
      process.on('SIGINT', callback);
      process.on('SIGTERM', callback);
      return () => {
        process.off('SIGINT', callback);
        process.off('SIGTERM', callback);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}
