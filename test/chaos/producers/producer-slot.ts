import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageFile } from '../../../src/config/package-file.ts';
import { startTypescript } from '../../start-typescript.ts';
import { readTruth } from './truth.ts';

export interface SlotOptions {
  readonly name: string;
  readonly run: string;
  readonly url: string;
  /** Holds the spool of the run and the truth of its producers. */
  readonly folder: string;
  readonly seed: string;
  readonly pauseMs: number;
  /** Interpreter that has the client; null: the TypeScript recorder. */
  readonly python: string | null;
}

/** A place in which one producer runs at a time; each next one finds the spool of those before. */
export interface ProducerSlot {
  readonly options: SlotOptions;
  start(): void;
  /** Resolves once the one that runs has recorded something. */
  recording(): Promise<void>;
  /** Resolves when it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** It ends what is open, sends everything, and closes. */
  finish(): Promise<number | null>;
  /** Of the processes so far, in order. */
  truths(): readonly string[];
}

const POLL_MS = 50;

export function spoolOf({ folder, run, python }: SlotOptions): string {
  return join(folder, `spool-${run}-${python === null ? 'typescript' : 'python'}`);
}

export function createProducerSlot(options: SlotOptions): ProducerSlot {
  const truths: string[] = [];
  let child: ChildProcessWithoutNullStreams | null = null;

  async function gone(one: ChildProcess): Promise<number | null> {
    if (one.exitCode === null && one.signalCode === null) await once(one, 'exit');
    return one.exitCode;
  }

  return {
    options,
    truths: () => truths,
    start() {
      if (child !== null) return;
      const truth = join(options.folder, `truth-${options.run}-${options.name}-${truths.length}.jsonl`);
      const args = Object.entries({
        ...{ url: options.url, run: options.run, spool: spoolOf(options), truth, previous: truths.at(-1) ?? '' },
        ...{ name: `${options.name}-${truths.length}`, seed: `${options.seed} ${truths.length}` },
        'pause-ms': `${options.pauseMs}`,
      }).flatMap(([key, value]) => [`--${key}`, value]);
      truths.push(truth);
      child =
        options.python === null
          ? startTypescript('./recording-loop.ts', import.meta.url, args)
          : spawn(options.python, [packageFile('test', 'chaos', 'producers', 'recording_loop.py'), ...args]);
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => process.stderr.write(data));
      // It may be gone.
      child.stdin.on('error', () => undefined);
    },
    async recording() {
      const path = truths.at(-1);
      while (path !== undefined && readTruth(path).length === 0) await sleep(POLL_MS);
    },
    async end(signal) {
      const one = child;
      child = null;
      if (one === null) return;
      one.kill(signal);
      await gone(one);
    },
    async finish() {
      const one = child;
      child = null;
      if (one === null) return 0;
      one.stdin.end();
      return gone(one);
    },
  };
}
