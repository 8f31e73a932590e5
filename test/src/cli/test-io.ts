import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Io } from '../../../src/cli/io.ts';
import { runCli } from '../../../src/cli/run-cli.ts';

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly terminal?: boolean;
}

/** Runs the command line in this process, with streams of its own. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const running = startCli(argv, options);
  const code = await running.code;
  return { code, stdout: await running.stdout(), stderr: await running.stderr() };
}

export interface RunningCli {
  readonly code: Promise<number>;
  /** All of it, once it has ended. */
  stdout(): Promise<string>;
  stderr(): Promise<string>;
  /** Resolves when stderr has said it. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** As Ctrl-C does. */
  interrupt(): void;
}

export function startCli(argv: readonly string[], options: CliOptions = {}): RunningCli {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const whole = { stdout: text(stdout), stderr: text(stderr.pipe(new PassThrough())) };
  let said = '';
  const waiting: (() => void)[] = [];
  stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    for (const look of waiting) look();
  });
  const stops = new Set<() => void>();
  const io: Io = {
    argv,
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout,
    stderr,
    stdoutIsTerminal: options.terminal ?? false,
    stderrIsTerminal: false,
    columns: 100,
    now: Date.now,
    onStop(callback) {
      stops.add(callback);
      return () => stops.delete(callback);
    },
    exitNow: (code) => {
      throw new Error(`it wanted to exit at once with ${code}`);
    },
  };
  const code = runCli(io).finally(() => {
    stdout.end();
    stderr.end();
  });
  return {
    code,
    stdout: () => whole.stdout,
    stderr: () => whole.stderr,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        code.then((ended) => reject(new Error(`it ended with ${ended} and had said: ${said}`)), reject);
        const look = () => {
          const match = pattern.exec(said);
          if (match !== null) resolve(match);
        };
        waiting.push(look);
        look();
      }),
    interrupt() {
      for (const stop of stops) stop();
    },
  };
}
