import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Figure, Size } from './bench.ts';
import { appendEvents, openBenchApp } from './bench-app.ts';
import { measureLatency, type Waited } from './measure-latency.ts';
import { measureReplay, type Replayed, type ReplayMode } from './measure-replay.ts';
import { groupEvents, MEMBERS, STEPS } from './replay-events.ts';
import { writeReplayRows } from './replay-rows.ts';
import { spentOn } from './rounds.ts';
import { runChild } from './run-child.ts';
import { type Spread, spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const SIZES = {
  full: { attempts: 1_000_000, withTokens: 50_000, live: 16_000, rounds: 3, latencyS: 20, groupsPerS: 5 },
  smoke: { attempts: 512, withTokens: 128, live: 128, rounds: 1, latencyS: 1, groupsPerS: 4 },
} as const;
const TARGET = 20_000;
const LOG_TARGET = 2;
/** Tokens of a call; where they are not read, that there are some is enough. */
const TOKENS = 512;
const FEW_TOKENS = 4;

/** In a process of its own; a smoke test has no time for processes. */
function replayed(size: Size, data: string, mode: ReplayMode, policy: string): Promise<Replayed> {
  return size === 'full'
    ? runChild<Replayed>('replay.child.ts', data, mode, policy)
    : measureReplay(data, mode, policy);
}

function waited(size: Size, data: string, isReplaying: boolean): Promise<Waited> {
  const { latencyS, groupsPerS } = SIZES[size];
  const mode = isReplaying ? 'replaying' : 'alone';
  return size === 'full'
    ? runChild<Waited>('replay-latency.child.ts', data, String(latencyS), String(groupsPerS), mode)
    : measureLatency(data, latencyS, groupsPerS, isReplaying);
}

/** Dry runs under another policy: from the store without tokens and with them, from the log, and beside a lane that works. */
export const replay: Bench = {
  name: 'replay',
  run(size) {
    return inTemporaryFolder(async (folder) => [
      ...(await storeFigures(folder, size)),
      ...(await logFigures(join(folder, 'live'), size)),
    ]);
  },
};

async function storeFigures(folder: string, size: Size): Promise<Figure[]> {
  const { attempts, withTokens, rounds } = SIZES[size];
  const [many, few] = [join(folder, 'many'), join(folder, 'few')];
  const without = await writeReplayRows(many, attempts, FEW_TOKENS);
  const same = await replayed(size, many, 'store', 'same');
  if (same.changed > 0 || same.attempts !== without.attempts)
    throw new Error(`${same.changed} of ${same.attempts} attempts changed under what decided them`);
  const dry = size === 'full' ? await times(rounds, () => replayed(size, many, 'store', 'dapo')) : [same];
  const tokens = await writeReplayRows(few, withTokens, TOKENS);
  const full = await times(rounds, () => replayed(size, few, 'tokens', 'dapo'));
  for (const { attempts: counted } of full)
    if (counted !== tokens.attempts) throw new Error(`${counted} of ${tokens.attempts} attempts were replayed`);
  return [
    figureOf('replay: policy, from the store', dry, [
      `${without.attempts.toLocaleString('en')} attempts of ${STEPS} steps, groups of ${MEMBERS}; none changed under the policy that decided them`,
    ]),
    figureOf('replay: the same, tokens read', full, [
      `${full[0]?.attempts.toLocaleString('en')} attempts, ${STEPS - 3} calls of ${TOKENS} tokens each`,
    ]),
  ];
}

function figureOf(name: string, rounds: readonly Replayed[], notes: readonly string[]): Figure {
  const value = rateOf(rounds);
  const [one] = rounds;
  if (one === undefined) throw new Error('no round');
  const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  return {
    ...{ name, value, unit: 'trajectories/s' },
    target: { text: `≥ ${TARGET.toLocaleString('en')}/s`, met: value.median >= TARGET },
    notes: [
      ...notes,
      `${one.changed.toLocaleString('en')} changed; CPU of all threads ${((1e6 * one.cpuS) / one.attempts).toFixed(0)} µs each`,
      `resident: ${mb(one.residentBefore)} before, ${one.residentAtHalf === 0 ? '' : `${mb(one.residentAtHalf)} half-way, `}${mb(one.residentMost)} at most`,
    ],
  };
}

/** A lane decides what is appended, the log of it is replayed, and then replays run beside the lane. */
async function logFigures(data: string, size: Size): Promise<Figure[]> {
  const { live } = SIZES[size];
  await mkdir(data, { recursive: true });
  const events = groupEvents('live', live / MEMBERS, TOKENS);
  const app = await openBenchApp(data, true);
  const lane = await spentOn(async () => {
    await appendEvents(app, events);
    await app.lanes?.drained();
  });
  await app.close();
  const rounds = await times(SIZES[size].rounds, () => replayed(size, data, 'log', 'dapo'));
  const value = rateOf(rounds);
  const yardstick = spreadOf([live / lane.wallS]);
  const ratio = value.median / yardstick.median;
  return [
    {
      ...{ name: 'replay: policy, from the log', value, unit: 'trajectories/s' },
      yardstick: { name: 'the lane that decided them', value: yardstick },
      ratio,
      target: { text: `≥ ${LOG_TARGET} × live`, met: ratio >= LOG_TARGET },
      notes: [`${live.toLocaleString('en')} attempts, ${STEPS - 3} calls of ${TOKENS} tokens each`],
    },
    await latencyFigure(data, size),
  ];
}

async function latencyFigure(data: string, size: Size): Promise<Figure> {
  const [alone, beside] = [await waited(size, data, false), await waited(size, data, true)];
  const p = (share: number, { tookMs }: Waited) =>
    [...tookMs].sort((a, b) => a - b)[Math.min(tookMs.length - 1, Math.floor(share * tookMs.length))] ?? Number.NaN;
  return {
    ...{ name: 'replay: end → ready beside it, p50', value: spreadOf([p(0.5, beside)]), unit: 'ms' },
    yardstick: { name: 'without a replay', value: spreadOf([p(0.5, alone)]) },
    ratio: p(0.5, beside) / p(0.5, alone),
    notes: [
      `p99 ${p(0.99, beside).toFixed(0)} ms, without ${p(0.99, alone).toFixed(0)} ms; ${SIZES[size].groupsPerS * MEMBERS} rollouts/s come, ${beside.replayedPerS.toFixed(0)}/s are replayed meanwhile`,
    ],
  };
}

function rateOf(rounds: readonly Replayed[]): Spread {
  return spreadOf(rounds.map(({ attempts, wallS }) => attempts / wallS));
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let n = 0; n < count; n++) results.push(await work());
  return results;
}
