import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';
import type { Paint } from './paint.ts';

/** What a command works with. */
export interface CommandContext {
  readonly io: Io;
  readonly config: Config;
  readonly flags: GlobalFlags;
  /** Data: stdout. */
  readonly out: Output;
  /** For stdout. */
  readonly paint: Paint;
  /** A remark for a person: stderr, silent with --quiet. */
  readonly say: (text: string) => void;
  /** What must be heard: stderr, also with --quiet. */
  readonly warn: (text: string) => void;
  readonly log: Logger;
}

/** Answers with the exit code. */
export type CommandBody = (context: CommandContext) => Promise<number>;

export interface RunOptions {
  /** A command that serves logs its changes of state unless told otherwise. */
  readonly serves?: boolean;
  /** Values of flags that are configuration keys. */
  readonly keys?: Readonly<Record<string, string | undefined>>;
}

/** Runs a body with the configuration of the command it belongs to. */
export type Run = (flags: GlobalFlags, body: CommandBody, options?: RunOptions) => Promise<void>;
