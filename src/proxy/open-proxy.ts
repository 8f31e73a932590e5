import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { takeDataFolder } from '../config/data-owner.ts';
import { RollstreamError } from '../errors.ts';
import { createFailedAttempts } from '../server/auth/failed-attempts.ts';
import { createFindEngine, knownEngine } from './forward/ask/find-engine.ts';
import { createRefusedAskings } from './forward/ask/refused-askings.ts';
import type { Engine } from './forward/ask/what-to-ask.ts';
import { createCallRecords } from './forward/call-record.ts';
import { createCallsInFlight } from './forward/calls-in-flight.ts';
import { createCheckToken } from './forward/check-token.ts';
import type { ForwardLimits } from './forward/limits.ts';
import { createModelCalls } from './forward/model-calls.ts';
import { createOwnPaths } from './forward/own/own-paths.ts';
import { createProblems } from './forward/problems.ts';
import { createProxyMetrics } from './forward/proxy-metrics.ts';
import { type Forwarder, startForwarder } from './forward/start-forwarder.ts';
import { createUpstream } from './forward/upstream.ts';
import { createCallIds } from './journal/call-ids.ts';
import { createFileReuse, type FileReuse } from './journal/file-reuse.ts';
import type { OpenRecording } from './open-recording.ts';
import type { RecordingOptions, RecordingStatus } from './record/port.ts';

export interface ProxyOptions {
  readonly upstream: URL;
  readonly engine: Engine | 'auto';
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What clients have to show; null: anybody may call. */
  readonly token: string | null;
  readonly asks: boolean;
  readonly showsAdded: boolean;
  readonly limits: ForwardLimits;
  readonly recording: RecordingOptions;
}

export interface Proxy {
  readonly url: string;
  /** Stops accepting, lets calls end for `graceMs`, and what is recorded be sent for `sendMs`. What waits then; null: not known. */
  close(graceMs: number, sendMs: number): Promise<RecordingStatus | null>;
}

/** Where the files of calls are, in the state folder of a proxy. */
export const CALLS_FOLDER = 'calls';
/** Of calls that ended, whose files are held open to be used again. */
const MOST_HELD_FILES = 256;

export async function openProxy(options: ProxyOptions, log: Logger, openRecording: OpenRecording): Promise<Proxy> {
  const { folder } = options.recording;
  const owned = await takeDataFolder(folder);
  try {
    makeFolder(join(folder, CALLS_FOLDER));
    const files = createFileReuse(MOST_HELD_FILES);
    const recording = await openRecording(options.recording, (level, message) => log[level](message));
    try {
      const forwarder = await start(options, log, files, recording);
      await owned.announce(forwarder.url);
      return {
        url: forwarder.url,
        async close(graceMs, sendMs) {
          await forwarder.close(graceMs);
          const last = await recording.close(sendMs);
          files.close();
          await owned.release();
          return last;
        },
      };
    } catch (error) {
      await recording.close(0);
      throw error;
    }
  } catch (error) {
    await owned.release();
    throw error;
  }
}

type Recording = Awaited<ReturnType<OpenRecording>>;

function start(options: ProxyOptions, log: Logger, files: FileReuse, recording: Recording): Promise<Forwarder> {
  const { limits, asks, showsAdded } = options;
  const now = (): number => performance.now();
  const upstream = createUpstream(options.upstream);
  const refusedAskings = createRefusedAskings();
  const metrics = createProxyMetrics();
  const problems = createProblems(log, now);
  const findEngine =
    options.engine === 'auto' ? createFindEngine(upstream, now, problems) : knownEngine(options.engine);
  const folder = join(options.recording.folder, CALLS_FOLDER);
  const inFlight = createCallsInFlight(options.recording.run);
  const modelCalls = createModelCalls({
    ...{ upstream, findEngine, refusedAskings, asks, showsAdded, limits, inFlight, metrics },
    nextCallId: createCallIds(),
    createRecord: createCallRecords({ folder, files, ended: recording.ended, problems, metrics }),
  });
  const status = () => ({
    upstream: options.upstream.href,
    engine: findEngine.known() ?? 'not known yet',
    asks: asks ? 'all' : 'none',
    refused_askings: refusedAskings.list(),
    counts: metrics.counts(),
    last_problem: problems.last,
  });
  return startForwarder(options.host, options.port, {
    ...{ upstream, limits, metrics, problems, log, calls: modelCalls },
    ownPaths: createOwnPaths({ recording, inFlight, metrics, status }),
    checkToken: createCheckToken(options.token, createFailedAttempts(now)),
  });
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_CONFIG', `the state folder cannot be written: ${why}`, {
      cause,
      facts: { field: 'state' },
    });
  }
}
