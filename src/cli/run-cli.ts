import { Command, CommanderError } from 'commander';
import { loadConfig } from '../config/load.ts';
import { RollstreamError } from '../errors.ts';
import { createLogger } from '../observe/create-logger.ts';
import { commandsOf } from './commands.ts';
import type { CommandBody, Run, RunOptions } from './context.ts';
import { addGlobalFlags, type GlobalFlags } from './global-flags.ts';
import type { Io } from './io.ts';
import { createOutput, OutputClosed } from './output.ts';
import { createPaint } from './paint.ts';
import { visible } from './table.ts';
import { version } from './version.ts';

const EXIT_CODES = `
Exit codes:
  0  done
  1  the answer is no: not balanced, a check failed, not found
  2  wrong usage or configuration
  3  a service cannot be reached, or other data is in the way
  4  some input was refused; the rest was taken

Example:
  $ rollstream up --example`;

/** The whole command line; answers with the exit code. */
export async function runCli(io: Io): Promise<number> {
  let exitCode = 0;
  let debug = false;
  const program = new Command('rollstream')
    .description('Turns step events of agentic-RL rollouts into audited, rewarded, trainable trajectories.')
    .version(version(), '--version', 'print the version')
    .helpOption('--help', 'print help')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES)
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ helpWidth: io.columns })
    .exitOverride();
  addGlobalFlags(program);

  const run: Run = async (commandFlags, body, options = {}) => {
    const flags: GlobalFlags = { ...program.opts<GlobalFlags>(), ...commandFlags };
    debug = flags.logLevel === 'debug';
    exitCode = await runBody(io, flags, body, options);
  };
  for (const add of await commandsOf(io.argv, program.options)) add(program, run);

  try {
    await program.parseAsync([...io.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr.write(`${describe(error, debug)}\n`);
    return error instanceof RollstreamError ? error.exitCode : 3;
  }
}

async function runBody(io: Io, flags: GlobalFlags, body: CommandBody, options: RunOptions): Promise<number> {
  const config = loadConfig({
    env: io.env,
    cwd: io.cwd,
    flags: { data: flags.data, log_level: flags.logLevel, ...options.keys },
    ...(flags.config === undefined ? {} : { file: flags.config }),
  });
  const talks = options.serves === true && !io.stderrIsTerminal && flags.quiet !== true;
  const level = config.logLevel === 'auto' ? (talks ? 'info' : 'warn') : config.logLevel;
  return body({
    io,
    config,
    flags,
    out: createOutput(io.stdout),
    paint: createPaint(io.stdoutIsTerminal, io.env),
    say: (text) => {
      if (flags.quiet !== true) io.stderr.write(`${text}\n`);
    },
    warn: (text) => io.stderr.write(`${text}\n`),
    log: createLogger(level, io.stderr),
  });
}

/** One line; with `--log-level debug` the stack and its causes. */
function describe(error: unknown, debug: boolean): string {
  if (debug && error instanceof Error) return causes(error);
  const message = visible(error instanceof Error ? error.message : String(error));
  if (error instanceof RollstreamError) return `error: ${message} [${error.code}]`;
  return `error: ${message} (a bug: run again with --log-level debug and report it)`;
}

function causes(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${causes(error.cause)}` : own;
}
