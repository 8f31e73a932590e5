import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postSteps } from '../../../clients/typescript/post.ts';
import { removeSpoolFolder } from '../../../clients/typescript/spool-folder.ts';
import { parsedOrNull } from './attempts/intent.ts';
import { createInTurn } from './in-turn.ts';
import type { RecordingOptions, WaitingRun } from './port.ts';
import { createSendingProblems, inShort, type Say } from './sending-problems.ts';
import { numbersIn, openSpool, type SpoolAndSender } from './spooled-sender.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SENDER_LIMITS = { batchLines: 5_000, lingerMs: 50, firstPauseMs: 200, longestPauseMs: 30_000 };
/** A batch is held while it waits: of many runs at once, each is smaller. */
const BATCH = { most: MIB, least: 64 * KIB, ofAll: 64 * MIB };
const MOST_REQUESTS = 8;
const MOST_FILES = 1_024;
const MOST_LISTED = 50;
const SWEEP_MS = 5_000;

export interface RunSpools {
  /** Lines of one run. false: there is no room. Throws where the disk refuses, and then nothing of them is left. */
  append(lines: string): boolean;
  readonly lastProblem: string | null;
  /** Events that the server would not have: they are in its dead-letter, or beside the spools where it did not even read them. */
  readonly refusedEvents: number;
  waiting(): { readonly events: number; readonly bytes: number; readonly runs: readonly WaitingRun[] };
  /** Whether what waits was answered in time. */
  drained(timeoutMs: number): Promise<boolean>;
  close(): void;
}

export interface RunSpoolsOptions {
  readonly folder: string;
  readonly producerId: string;
  /** null: there is none to send to. */
  readonly server: RecordingOptions['server'];
  /** Of all runs together. */
  readonly maxBytes: number;
  readonly say: Say;
  /** What was empty for so long is closed and removed. */
  readonly sweepMs?: number;
}

interface Lane {
  /** null: of several, as all were before each run had its own; or its name was damaged. */
  readonly run: string | null;
  /** Of its folder; empty: the one that all are in. */
  readonly name: string;
  readonly spool: SpoolAndSender;
  /** Since when nothing was taken of what waits, ms; a clock of its own. */
  sinceMs: number;
  wasEmpty: boolean;
}

const NAME = 'run.json';
const OF_RUN = /^[0-9a-f]{32}$/;
const RUN_OF_LINE = /"run_id":("(?:[^"\\]|\\.)*")/;

/** A spool and a sender per run, since a server may refuse one run for long. What is empty for a while costs nothing. */
export function openRunSpools(options: RunSpoolsOptions): RunSpools {
  const { folder, producerId, server, maxBytes, say, sweepMs = SWEEP_MS } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const now = (): number => performance.now();
  const problems = createSendingProblems(say, now);
  const inTurn = createInTurn(MOST_REQUESTS);
  const stop = new AbortController();
  const aside = join(folder, 'refused.ndjson');
  const lanes = new Map<string, Lane>();
  /** Those that were written to, in the order of their last lines. */
  const written = new Set<Lane>();
  let lastProblem: string | null = null;
  let refusedEvents = 0;
  let heldAtMost = Number.POSITIVE_INFINITY;

  function open(name: string, run: string | null): Lane {
    const path = join(folder, name);
    const to =
      server === null
        ? null
        : {
            server: { url: server.url.replace(/\/+$/, ''), token: server.token, gzip: false, stop: stop.signal },
            post: sendFor(name, run),
            limits: {
              ...SENDER_LIMITS,
              get batchBytes() {
                return Math.max(BATCH.least, Math.min(BATCH.most, BATCH.ofAll / lanes.size));
              },
            },
            aside: { path: aside, maxBytes: Math.max(0, maxBytes - sizeOf(aside)) },
          };
    const spool = openSpool(path, producerId, to, (why) => {
      lastProblem = why;
    });
    const lane = { run, name, spool, sinceMs: now(), wasEmpty: false };
    lanes.set(name, lane);
    return lane;
  }

  function sendFor(name: string, run: string | null): typeof postSteps {
    let refusal: string | null = null;
    return async (to, batch) => {
      const answer = await inTurn(() => postSteps(to, batch));
      if (stop.signal.aborted) return answer;
      problems.answered(run, answer);
      const lane = lanes.get(name);
      if (answer.kind === 'taken') refusedEvents += answer.refused;
      // Of several lines each is sent alone.
      if (answer.kind === 'never' && batch.lines === 1) refusedEvents += 1;
      if (answer.kind === 'later') refusal = answer.why;
      else if (lane !== undefined) {
        lane.sinceMs = now();
        if (lane.spool.counters.lastProblem === refusal) lane.spool.counters.lastProblem = null;
      }
      return answer;
    };
  }

  function laneOf(lines: string): Lane {
    const run: string = JSON.parse(RUN_OF_LINE.exec(lines)?.[1] ?? '""');
    const name = createHash('sha256').update(run).digest('hex').slice(0, 32);
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const path = join(folder, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, `${NAME}.new`), `${JSON.stringify({ run })}\n`, { mode: 0o600 });
    renameSync(join(path, `${NAME}.new`), join(path, NAME));
    return open(name, run);
  }

  /** Counted anew only where it may matter: what is answered for makes it less. */
  function hasRoom(bytes: number): boolean {
    if (heldAtMost + bytes > maxBytes) {
      heldAtMost = 0;
      for (const { spool } of lanes.values()) heldAtMost += spool.bytes;
    }
    return heldAtMost + bytes <= maxBytes;
  }

  /** Only so many files stay open. */
  function wrote(lane: Lane): void {
    written.delete(lane);
    written.add(lane);
    const [oldest] = written;
    if (written.size <= MOST_FILES || oldest === undefined) return;
    written.delete(oldest);
    if (oldest.spool.isEmpty) remove(oldest);
    else oldest.spool.rest();
  }

  function sweep(): void {
    for (const lane of lanes.values()) {
      const isEmpty = lane.spool.isEmpty;
      if (isEmpty && lane.wasEmpty) remove(lane);
      lane.wasEmpty = isEmpty;
    }
  }

  function remove(lane: Lane): void {
    const path = join(folder, lane.name);
    lane.spool.remove();
    lanes.delete(lane.name);
    written.delete(lane);
    const isBare = readdirSync(path).every((entry) => entry === NAME);
    if (lane.name !== '' && isBare) removeSpoolFolder(path);
  }

  if (numbersIn(folder).length > 0) open('', null);
  for (const name of readdirSync(folder).sort()) if (OF_RUN.test(name)) open(name, runIn(join(folder, name, NAME)));
  const sweeping = server === null ? undefined : setInterval(sweep, sweepMs).unref();

  return {
    append(lines) {
      const bytes = Buffer.byteLength(lines);
      if (!hasRoom(bytes)) return false;
      const lane = laneOf(lines);
      if (lane.spool.isEmpty) lane.sinceMs = now();
      lane.spool.append(lines);
      heldAtMost += bytes;
      lane.wasEmpty = false;
      wrote(lane);
      return true;
    },
    get lastProblem() {
      return lastProblem;
    },
    get refusedEvents() {
      return refusedEvents;
    },
    waiting() {
      const held = [...lanes.values()].flatMap(({ run, spool, sinceMs }) => {
        const { events, bytes } = spool.waiting();
        const why = spool.counters.lastProblem;
        return events === 0 ? [] : [{ run, events, bytes, problem: why === null ? null : inShort(why), sinceMs }];
      });
      const sum = (of: 'events' | 'bytes'): number => held.reduce((all, one) => all + one[of], 0);
      const longest = held.sort((a, b) => a.sinceMs - b.sinceMs).slice(0, MOST_LISTED);
      const runs = longest.map(({ sinceMs: _, ...one }) => one);
      return { events: sum('events'), bytes: sum('bytes'), runs };
    },
    async drained(timeoutMs) {
      const all = await Promise.all([...lanes.values()].map(({ spool }) => spool.drained(timeoutMs)));
      return all.every((isDrained) => isDrained);
    },
    close() {
      clearInterval(sweeping);
      stop.abort();
      for (const { spool } of lanes.values()) spool.close();
    },
  };
}

function runIn(path: string): string | null {
  if (!existsSync(path)) return null;
  const { run } = parsedOrNull<{ run?: unknown }>(readFileSync(path, 'utf8')) ?? {};
  return typeof run === 'string' ? run : null;
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
