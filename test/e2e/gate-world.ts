import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, LogRecord } from '../../src/broker/port.ts';
import { type Started, startProgram } from './program.ts';

/** A worker that serves. */
export interface GateWorker extends Pick<Started, 'child' | 'ended' | 'saying'> {
  readonly url: string;
}

/** A pipeline on one of the brokers, and what may happen to its workers. */
export interface GateWorld {
  readonly folder: string;
  /** Of every command. */
  readonly args: readonly string[];
  /** Those that live. */
  workers(): readonly GateWorker[];
  /** -9. Another takes over: one that lives already, or one that is started. */
  kill(worker: GateWorker): Promise<void>;
  /** Ends the workers, which must end well, then reads what a read_committed reader finds. */
  topics(): Promise<{ readonly held: readonly LogRecord[]; readonly ready: readonly LogRecord[] }>;
}

/** Of a pipeline whose runs are looked at each second, and whose commands and workers share a configuration. */
export const GATE_KEYS = { 'gate.interval': '1s', 'http.port': 0, log_level: 'info' } as const;

/**
 * The default policy, but that drift trains; runs `bad` and `good` begin with a preflight of 40. Of the limits pipeline drift has
 * one that a few hits do not trip.
 */
export function gatePolicy(shipped: string): string {
  const text = shipped.replace('name: default', 'name: gated').replace(/^ +pipeline_drift: quarantine\n/m, '');
  return `${text}
gate:
  min_count: 8
  limits: { pipeline_drift: { max: 0.05, then: hold } }
scopes:
  - when: { run: [bad, good] }
    gate: { preflight: 40 }
`;
}

export async function startWorker(args: readonly string[]): Promise<GateWorker> {
  const { child, ended, saying } = startProgram(['up', ...args]);
  const [, url = ''] = await saying(/serving at (\S+)/);
  return { child, ended, saying, url };
}

const POLL_MS = 50;
const PATIENCE_MS = 120_000;

/** Asks until the answer is not null; whoever is asked may be gone meanwhile. */
export async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  let last: unknown = null;
  while (performance.now() < deadline) {
    const answer = await ask().catch((error: unknown) => {
      last = error;
      return null;
    });
    if (answer !== null) return answer;
    await sleep(POLL_MS);
  }
  throw new Error(`waited for ${what} for ${PATIENCE_MS} ms`, { cause: last });
}

/** A metric of a worker; null: it has none such. */
export async function metricOf({ url }: GateWorker, name: string): Promise<number | null> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
}

/** All that a topic of one partition shows. */
export async function recordsOf(broker: Pick<Broker, 'bounds' | 'read'>, topic: string): Promise<LogRecord[]> {
  const { start, end } = await broker.bounds(topic, 0);
  const records: LogRecord[] = [];
  for (let at = start; at < end; ) {
    const batch = await broker.read(topic, 0, at, { maxBytes: 8 * 2 ** 20, maxWaitMs: 1_000 });
    records.push(...batch);
    at = (batch.at(-1)?.offset ?? end) + 1;
  }
  return records;
}
