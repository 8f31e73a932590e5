import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startTypescript } from '../../start-typescript.ts';

/** What a run is trained by; ranks of its step leases, 0: plain batches. */
export interface TrainedRun {
  readonly run: string;
  readonly dp: number;
}

/** One trainer a run; whoever dies or is refused is started again, and restores. */
export interface Trainers {
  /** How often each thing was said: restored, passed over, refused, done. */
  readonly said: ReadonlyMap<string, number>;
  /** What no trainer may end with. */
  readonly wrong: readonly string[];
  /** SIGKILL; another is started. */
  kill(run: string): Promise<void>;
  /** SIGSTOP, another is started, and after it restored SIGCONT: the first one still believes that it is the trainer. */
  replace(run: string): Promise<void>;
  /** Resolves when each run is trained to its end. */
  readonly done: Promise<unknown>;
  close(): void;
}

const REFUSED = 3;
/** A trainer that fails at once is not started for ever. */
const STARTS = 200;

export function startTrainers(options: {
  readonly runs: readonly TrainedRun[];
  readonly servers: readonly string[];
  readonly folder: string;
  readonly seed: string;
}): Trainers {
  const said = new Map<string, number>();
  const wrong: string[] = [];
  const alive = new Set<ChildProcess>();
  const current = new Map<string, ChildProcess>();
  const ends = new Map<string, () => void>();
  let starts = 0;
  let isOver = false;

  function start({ run, dp }: TrainedRun): { readonly child: ChildProcess; readonly restored: Promise<void> } {
    starts += 1;
    const facts = {
      run,
      dp,
      servers: options.servers.join(),
      folder: options.folder,
      seed: `${options.seed}-${starts}`,
    };
    const args = Object.entries(facts).flatMap(([key, value]) => [`--${key}`, `${value}`]);
    const child = startTypescript('./trainer.ts', import.meta.url, args);
    alive.add(child);
    current.set(run, child);
    const log = createWriteStream(join(options.folder, `trainer-${run}-${starts}.log`));
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      complaint += text;
    });
    const restored = new Promise<void>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        log.write(`${new Date().toISOString()} ${line}\n`);
        const { event, reason }: { event: string; reason?: string } = JSON.parse(line);
        const what = reason === undefined ? event : `${event}: ${reason}`;
        said.set(what, (said.get(what) ?? 0) + 1);
        if (event === 'restored') resolve();
      });
      child.on('close', resolve);
    });
    child.on('close', (code, signal) => {
      log.end();
      alive.delete(child);
      if (isOver) return;
      if (code !== 0 && code !== REFUSED && signal === null)
        wrong.push(`a trainer of ${run} ended with ${code}: ${complaint}`);
      if (current.get(run) !== child) return;
      if (code === 0 || starts > STARTS) ends.get(run)?.();
      else start({ run, dp });
    });
    return { child, restored };
  }

  const runOf = (name: string): { readonly wanted: TrainedRun; readonly child: ChildProcess } => {
    const [wanted, child] = [options.runs.find(({ run }) => run === name), current.get(name)];
    if (wanted === undefined || child === undefined) throw new Error(`no trainer of ${name}`);
    return { wanted, child };
  };

  const done = Promise.all(options.runs.map(({ run }) => new Promise<void>((resolve) => ends.set(run, resolve))));
  for (const run of options.runs) start(run);
  return {
    said,
    wrong,
    async kill(run) {
      const { child } = runOf(run);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    async replace(run) {
      const { wanted, child } = runOf(run);
      child.kill('SIGSTOP');
      await start(wanted).restored;
      child.kill('SIGCONT');
    },
    done,
    close() {
      isOver = true;
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}
