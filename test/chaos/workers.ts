import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { startRollstream } from '../e2e/rollstream.ts';
import { cpuSecondsOf, residentBytesOf } from './process-cost.ts';

/** One process after another; what ends is started again. */
interface Place {
  child: ChildProcess;
  /** null: it does not serve yet. */
  url: string | null;
  /** Records that this process had read when it was last asked. */
  read: number;
}

export interface Workers {
  readonly count: number;
  /** Ended by themselves: exit codes. */
  readonly ended: readonly (number | null)[];
  /** Processes that were started. */
  readonly starts: () => number;
  /** SIGKILL; another is started in its place. */
  kill(place: number): Promise<void>;
  signal(place: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Records that all processes ever read, as far as they could be asked. */
  recordsRead(): Promise<number>;
  /** Resident bytes of each process. */
  residentBytes(): Promise<number[]>;
  /** CPU time of each process so far. */
  cpuSeconds(): Promise<number[]>;
  /** Sum of a metric over its labels, over all workers. */
  metric(name: string): Promise<number>;
  /** Resolves once each of them serves. */
  serving(): Promise<void>;
  /** SIGTERM; the exit codes. */
  stop(): Promise<(number | null)[]>;
}

const ASK_EVERY_MS = 500;
/** Exit code of a configuration that is refused. */
const REFUSED = 2;
/** As a supervisor does with what ended by itself: a worker that finds a service gone when it starts ends. */
const AGAIN_AFTER_MS = 1_000;

/** `ports`: of each place, so that who comes back is where it was; none: any free one. */
export function startWorkers(count: number, config: string, folder: string, ports: readonly number[] = []): Workers {
  const ended: (number | null)[] = [];
  const killed = new WeakSet<ChildProcess>();
  let starts = 0;
  let readBefore = 0;
  let stopping = false;
  /** A configuration that is refused today is refused tomorrow. */
  let refused: string | null = null;

  const portOf = (place: number): string[] => (ports[place] === undefined ? [] : ['--port', `${ports[place]}`]);

  function start(place: number): Place {
    const child = startRollstream('up', '--config', config, ...portOf(place));
    const log = createWriteStream(join(folder, `worker-${place}-${starts++}.log`));
    const started: Place = { child, url: null, read: 0 };
    child.stdout.resume();
    let last = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      last = text;
      started.url = /serving at (\S+)/.exec(text)?.[1] ?? started.url;
    });
    child.on('exit', (code) => {
      log.end();
      readBefore += started.read;
      if (stopping) return;
      if (killed.has(child)) places[place] = start(place);
      else {
        ended.push(code);
        if (code === REFUSED) refused = last;
        setTimeout(() => {
          if (!stopping) places[place] = start(place);
        }, AGAIN_AFTER_MS);
      }
    });
    return started;
  }

  const places: Place[] = [];
  for (let place = 0; place < count; place += 1) places.push(start(place));

  /** null: it does not answer. */
  async function metricOf({ url }: Place, name: string): Promise<number | null> {
    if (url === null) return null;
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(new URL('/metrics', url), { signal }).catch(() => null);
    const text = (await answer?.text().catch(() => '')) ?? '';
    const lines = [...text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm)].filter(([, found]) => found === name);
    return lines.length === 0 ? null : lines.reduce((sum, [, , value]) => sum + Number(value), 0);
  }
  async function ask(place: Place): Promise<void> {
    place.read = (await metricOf(place, 'rollstream_records_read_total')) ?? place.read;
  }
  const asking = setInterval(() => {
    for (const place of places) void ask(place);
  }, ASK_EVERY_MS);

  const placeAt = (index: number): Place => {
    const place = places[index];
    if (place === undefined) throw new Error(`there is no worker ${index}`);
    return place;
  };
  return {
    count,
    ended,
    starts: () => starts,
    async kill(index) {
      const { child } = placeAt(index);
      if (child.exitCode !== null || child.signalCode !== null) return;
      killed.add(child);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
    signal(index, signal) {
      placeAt(index).child.kill(signal);
    },
    async recordsRead() {
      await Promise.all(places.map(ask));
      return places.reduce((sum, { read }) => sum + read, readBefore);
    },
    residentBytes: () => Promise.all(places.map(({ child }) => residentBytesOf(child.pid))),
    cpuSeconds: () => Promise.all(places.map(({ child }) => cpuSecondsOf(child.pid))),
    async metric(name) {
      const found = await Promise.all(places.map((place) => metricOf(place, name)));
      return found.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    },
    async serving() {
      while (places.some(({ url }) => url === null)) {
        if (refused !== null) throw new Error(refused);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      stopping = true;
      clearInterval(asking);
      return Promise.all(
        places.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
          const gone = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGCONT');
          child.kill('SIGTERM');
          const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
          await gone;
          clearTimeout(patience);
          return child.exitCode;
        }),
      );
    },
  };
}
