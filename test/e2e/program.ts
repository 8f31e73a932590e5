import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/config/package-file.ts';

export interface Ended {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stderr matches; rejects when the process ends before. */
  saying(pattern: RegExp): Promise<RegExpExecArray>;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test has left running. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    }),
  );
}

/** Starts the program as it was built, as a process of its own. */
export function startProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(process.execPath, [programFile(), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  let stdout = '';
  let stderr = '';
  let heard = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    heard();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    ended,
    saying(pattern) {
      return new Promise((resolve, reject) => {
        heard = () => {
          const match = pattern.exec(stderr);
          if (match !== null) resolve(match);
        };
        heard();
        ended.then(({ stderr: said }) => reject(new Error(`it ended without saying ${pattern}: ${said}`)), reject);
      });
    },
  };
}

/** Runs it to its end, which must be this exit code, and answers with what it wrote to stdout. */
export async function runProgram(args: readonly string[], code = 0): Promise<string> {
  const ended = await startProgram(args).ended;
  if (ended.code === code) return ended.stdout;
  throw new Error(
    `rollstream ${args.join(' ')}: ended with ${ended.code ?? ended.signal}, not ${code}\n${ended.stderr}`,
  );
}

/** PROGRAM_UNDER_TEST names another build. */
export function programFile(): string {
  const given = process.env.PROGRAM_UNDER_TEST;
  if (given !== undefined) return given;
  const built = packageFile('dist/src/cli/main.js');
  if (!existsSync(built)) throw new Error('there is no build: npm run build');
  // What an old build does says nothing about the sources.
  const isOld = ['src', 'processors'].some((part) => newest(packageFile(part)) > newest(packageFile('dist', part)));
  if (isOld) throw new Error('the build is older than the sources: npm run build');
  return built;
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));
  return Math.max(...files.map((name) => statSync(join(folder, name)).mtimeMs));
}
