import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DestinationStream, pino } from 'pino';
import { RollstreamError } from '../../../src/errors.ts';
import { DEFAULT_LIMITS, type ForwardLimits } from '../../../src/proxy/forward/limits.ts';
import { type RecordedCall, readCall } from '../../../src/proxy/journal/read-call.ts';
import { CALLS_FOLDER, openProxy, type ProxyOptions } from '../../../src/proxy/open-proxy.ts';
import type { NamedAttempt, Recording, SaidEnd, SaidVerdict } from '../../../src/proxy/record/port.ts';

/** What a proxy hands on, kept in memory; files stay where they are. */
export interface KeptRecording extends Recording {
  readonly calls: RecordedCall[];
  readonly ends: [NamedAttempt, SaidEnd][];
  readonly verdicts: [NamedAttempt, SaidVerdict][];
  /** The next call that ends. */
  next(): Promise<RecordedCall>;
}

export interface StartedProxy {
  readonly url: string;
  readonly recording: KeptRecording;
  readonly callsFolder: string;
  readonly log: string[];
  close(): Promise<void>;
}

type Options = Partial<Omit<ProxyOptions, 'limits' | 'recording'>> & { readonly limits?: Partial<ForwardLimits> };

export async function startProxy(upstream: URL, { limits, ...options }: Options = {}): Promise<StartedProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'rollstream-proxy-'));
  const recording = keptRecording();
  const log: string[] = [];
  const lines: DestinationStream = { write: (line) => log.push(line) };
  const proxy = await openProxy(
    {
      ...{ upstream, engine: 'openai', host: '127.0.0.1', port: 0, token: null, asks: true, showsAdded: false },
      ...options,
      limits: { ...DEFAULT_LIMITS, ...limits },
      recording: {
        folder,
        server: null,
        run: 'proxy',
        env: 'proxy',
        purpose: 'train',
        idleMs: 60_000,
        idleReason: null,
      },
    },
    pino({ level: 'warn' }, lines),
    async () => recording,
  );
  return {
    ...{ url: proxy.url, recording, callsFolder: join(folder, CALLS_FOLDER), log },
    async close() {
      await proxy.close(0, 0);
      rmSync(folder, { recursive: true });
    },
  };
}

export function filesIn(proxy: StartedProxy): string[] {
  return readdirSync(proxy.callsFolder);
}

function keptRecording(): KeptRecording {
  const calls: RecordedCall[] = [];
  const waiting: ((call: RecordedCall) => void)[] = [];
  let taken = 0;
  const recording: KeptRecording = {
    ...{ calls, ends: [], verdicts: [] },
    ended(path) {
      const call = readCall(path);
      if (call === null) throw new Error(`${path} holds no call`);
      calls.push(call);
      const wanted = waiting.shift();
      if (wanted === undefined) return;
      taken += 1;
      wanted(call);
    },
    next() {
      const call = calls[taken];
      if (call === undefined) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve(call);
    },
    async endRollout(named, end) {
      if (named.rollout === 'nobody') throw new RollstreamError('RS_NOT_FOUND', 'no such attempt is open');
      recording.ends.push([named, end]);
    },
    async verdict(named, verdict) {
      if (named.rollout === 'nobody') throw new RollstreamError('RS_NOT_FOUND', 'no such rollout is known here');
      recording.verdicts.push([named, verdict]);
    },
    status: async () => ({
      ...{
        openRollouts: 1,
        waitingCalls: 2,
        spooledEvents: 3,
        spooledBytes: 4,
        lostEvents: 0,
        refusedEvents: 0,
        lastProblem: null,
      },
      notAuditable: { no_token_ids: 5 },
      runs: [{ run: 'archived', events: 3, bytes: 4, problem: 'HTTP 409' }],
    }),
    close: async () => null,
  };
  return recording;
}
