import { randomBytes, randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Identity } from './attempt-log.ts';
import { type Counters, newCounters } from './counters.ts';
import { type LoopLag, watchLoopLag } from './loop-lag.ts';
import { postEnded, type Server } from './post.ts';
import type { RolloutOptions } from './recorded.ts';
import { Rollout, type RolloutHost } from './rollout.ts';
import { createSender, type Sender } from './sender.ts';
import { Spool } from './spool.ts';
import {
  createSpoolFolder,
  type LeftOver,
  processStart,
  releaseSpoolFolder,
  removeSpoolFolder,
  takeLeftOvers,
} from './spool-folder.ts';

export type {
  AuxRef,
  End,
  Failure,
  Limits,
  Logprobs,
  ModelCall,
  PhaseName,
  RawReason,
  RolloutOptions,
  Sampling,
  TokenIds,
  ToolCall,
  ToolResult,
  Usage,
  Verdict,
  WeightSpan,
} from './recorded.ts';
export type { Rollout } from './rollout.ts';

export interface RecorderOptions {
  /** Of a rollstream server. */
  readonly url?: string;
  readonly runId: string;
  readonly token?: string | null;
  /** Of rollouts that name no other. */
  readonly envName?: string;
  /** Only `train` reaches the trainer. */
  readonly purpose?: 'train' | 'eval' | 'synthesis';
  readonly epoch?: number;
  /** Name of this worker among others, for people. */
  readonly actor?: string | null;
  /** Default: rollstream/spool-typescript in $XDG_STATE_HOME or ~/.local/state. Recorders of many processes share it. */
  readonly spoolDir?: string;
  /** Of what waits to be sent; what is beyond it is lost, and counted. */
  readonly spoolMaxBytes?: number;
  /** The first producer of an attempt owns it. One of your own has to be unique among those that live. */
  readonly producerId?: string;
  /** How often the event loop's lag is measured. */
  readonly sampleEveryMs?: number;
  readonly gzip?: boolean;
  /** How long a process that has nothing left to do waits for what it recorded to be answered. */
  readonly exitFlushMs?: number;
}

export interface RecorderStats extends Readonly<Counters> {
  /** Events that wait in the spool. */
  readonly spooled: number;
  readonly spooledBytes: number;
  readonly inFlight: number;
}

const MIB = 1024 * 1024;
const SENDER_LIMITS = {
  batchBytes: MIB,
  batchLines: 5_000,
  lingerMs: 50,
  firstPauseMs: 200,
  longestPauseMs: 30_000,
};

/** Records the rollouts of a process. Once a call has returned, a kill -9 of the process loses nothing of what it recorded. */
export class Recorder {
  readonly producerId: string;
  readonly #options: RecorderOptions;
  readonly #url: string;
  readonly #folder: string;
  readonly #spool: Spool;
  readonly #server: Server;
  readonly #sender: Sender;
  readonly #leftOvers: LeftOver[];
  readonly #counters = newCounters();
  readonly #stop = new AbortController();
  readonly #lag: LoopLag;
  readonly #host: RolloutHost;
  readonly #beforeExit: () => void;
  readonly #atExit: () => void;
  #waitedFor = 0;
  #inFlight = 0;
  #isClosed = false;

  /** Throws where what it is given cannot work: a url that is none, an empty run, a spool that cannot be written. */
  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#url = new URL(options.url ?? 'http://127.0.0.1:8080').href.replace(/\/+$/, '');
    if (typeof options.runId !== 'string' || options.runId === '') throw new TypeError('runId: expected an id');
    const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
    this.producerId = options.producerId ?? `${hostname()}-${name}`;
    const directory = options.spoolDir ?? defaultSpoolDir();
    const maxBytes = options.spoolMaxBytes ?? 1024 * MIB;
    const { token = null, gzip = false } = options;
    this.#server = { url: this.#url, token, gzip, stop: this.#stop.signal };
    this.#folder = createSpoolFolder(directory, name, {
      pid: process.pid,
      process_start: processStart(process.pid),
      host: hostname(),
      url: this.#url,
      producer_id: this.producerId,
      named: options.producerId !== undefined,
    });
    this.#spool = new Spool(this.#folder, { maxBytes, segmentBytes: 8 * MIB });
    this.#leftOvers = takeLeftOvers(directory, { name, url: this.#url, producerId: this.producerId });
    this.#sender = createSender({
      ...{ server: this.#server, spool: this.#spool, leftOvers: this.#leftOvers, counters: this.#counters },
      aside: { path: join(directory, `refused-${name}.ndjson`), maxBytes },
      limits: SENDER_LIMITS,
    });
    this.#lag = watchLoopLag(options.sampleEveryMs ?? 250);
    this.#host = this.#hostOf(name);
    this.#beforeExit = () => {
      // Once for what was recorded: it comes again when the wait is over, and the server may be away for long.
      if (this.#spool.pendingBytes === 0 || this.#waitedFor === this.#counters.recorded) return;
      this.#waitedFor = this.#counters.recorded;
      void this.flush(options.exitFlushMs ?? 5_000);
    };
    this.#atExit = () => {
      try {
        if (this.#spool.pendingBytes === 0 && this.#inFlight === 0) removeSpoolFolder(this.#folder);
        else releaseSpoolFolder(this.#folder, this.#hasEnded());
      } catch {
        // It is sent as that of a process that was killed.
      }
    };
    process.on('beforeExit', this.#beforeExit);
    process.on('exit', this.#atExit);
  }

  /** Begins an attempt, which has to be ended. Throws on an identity that is none; whatever is recorded after that never throws. */
  start(options: RolloutOptions): Rollout {
    const identity = this.#identityOf(options);
    this.#inFlight += 1;
    return new Rollout(identity, options, this.#host);
  }

  /** An attempt around `loop`: it ends as `completed`, or with the class of what was thrown, unless the loop said why it ended. */
  async rollout<T>(options: RolloutOptions, loop: (rollout: Rollout) => Promise<T> | T): Promise<T> {
    const rollout = this.start(options);
    try {
      const result = await loop(rollout);
      if (!rollout.isEnded) rollout.end('completed');
      return result;
    } catch (error) {
      if (!rollout.isEnded) rollout.endWith(error);
      throw error;
    }
  }

  /** Whether all that was recorded before was answered in time. */
  flush(timeoutMs = 10_000): Promise<boolean> {
    return this.#sender.drained(timeoutMs);
  }

  /** Sends what is there, and says that nothing more comes. What no server took in time stays for the next recorder. */
  async close(timeoutMs = 10_000): Promise<boolean> {
    if (this.#isClosed) return this.#spool.pendingBytes === 0;
    this.#isClosed = true;
    process.off('beforeExit', this.#beforeExit);
    process.off('exit', this.#atExit);
    this.#lag.stop();
    const isDrained = await this.#sender.drained(timeoutMs);
    const isOver = isDrained && (this.#inFlight === 0 || (await this.#sayEnded()));
    this.#sender.stop();
    this.#stop.abort();
    this.#spool.close();
    if (isOver) removeSpoolFolder(this.#folder);
    else {
      releaseSpoolFolder(this.#folder, this.#hasEnded());
      for (const { folder } of this.#leftOvers) releaseSpoolFolder(folder);
    }
    return isDrained;
  }

  stats(): RecorderStats {
    const { recorded, sent, refused } = this.#counters;
    const spooled = recorded - sent - refused;
    return { ...this.#counters, spooled, spooledBytes: this.#spool.pendingBytes, inFlight: this.#inFlight };
  }

  /** Nothing that it began is open: its ends are in the spool, or with the server. */
  #hasEnded(): boolean {
    return this.#inFlight === 0 && this.#counters.lost === 0;
  }

  async #sayEnded(): Promise<boolean> {
    return (await postEnded(this.#server, this.producerId, `${this.producerId}/ended`)).kind === 'taken';
  }

  #hostOf(name: string): RolloutHost {
    let events = 0;
    return {
      producerId: this.producerId,
      nextEventId: () => `${name}-${events++}`,
      write: (line) => this.#write(line),
      lose: (error) => this.#lose(error instanceof Error ? error.message : String(error)),
      health: () => ({
        ...{ actor: this.#options.actor ?? null, in_flight: this.#inFlight, loop_lag_ms: this.#lag.take() },
        ...{ pid: process.pid, host: hostname() },
      }),
      ended: () => {
        this.#inFlight -= 1;
      },
    };
  }

  #write(line: string): void {
    if (this.#isClosed) this.#lose('the recorder is closed');
    else if (!this.#spool.append(line)) this.#lose('the spool is full');
    else {
      this.#counters.recorded += 1;
      this.#sender.wake();
    }
  }

  #lose(why: string): void {
    this.#counters.lost += 1;
    this.#counters.lastProblem = why;
  }

  #identityOf(options: RolloutOptions): Identity {
    const { groupId = null, groupSize = null, attempt = 0, epoch = this.#options.epoch ?? 0 } = options;
    if (groupSize !== null && groupId === null) throw new TypeError('groupId: expected an id beside groupSize');
    return {
      run_id: this.#options.runId,
      purpose: this.#options.purpose ?? 'train',
      env_name: options.envName ?? this.#options.envName ?? 'unknown',
      task_id: idOf(options.taskId, 'taskId'),
      epoch: countOf(epoch, 'epoch', 0),
      group_id: groupId === null ? null : idOf(groupId, 'groupId'),
      group_size: groupSize === null ? null : countOf(groupSize, 'groupSize', 1),
      rollout_id: idOf(options.rolloutId ?? randomUUID(), 'rolloutId'),
      attempt: countOf(attempt, 'attempt', 0),
    };
  }
}

function defaultSpoolDir(): string {
  const state = process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state');
  return join(state, 'rollstream', 'spool-typescript');
}

/** Ids that are integers are ids by their digits. */
function idOf(id: string | number, field: string): string {
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id === 'string' && id !== '') return id;
  throw new TypeError(`${field}: expected an id, got ${JSON.stringify(id) ?? typeof id}`);
}

function countOf(value: number, field: string, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`${field}: expected a number from ${least} on, got ${value}`);
}
