import { RollstreamError } from '../errors.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import type { LaneStatus } from '../lanes/lanes.ts';
import { isOutage } from '../lanes/retry-outage.ts';
import { answerCall } from './answer-call.ts';
import type { Call } from './scheduler.ts';
import type { PolicyName } from './simulated-documents.ts';
import { type ProcessDeps, type SimulatedProcess, startProcess } from './simulated-process.ts';

export type CrewDeps = ProcessDeps & {
  readonly reorderEvents: number;
  readonly policies: readonly [PolicyName, ...PolicyName[]];
};

/** The processes that have, had or believe to have the lane. */
export interface Crew {
  /** One call of a process takes effect, or fails. */
  goOn(): void;
  mayCrash(): boolean;
  crash(how?: 'dies'): void;
  /** Replaces what has ended; throws what no process may end with. */
  look(): void;
  hasDrained(end: number): boolean;
  status(): LaneStatus | null;
  readonly counts: { crashes: number; faults: number };
}

export function createCrew(
  { crashes, script, buildsDiffer }: { crashes: number; script?: unknown; buildsDiffer: boolean },
  deps: CrewDeps,
): Crew {
  const { world } = deps;
  const { random, scheduler } = world;
  const settings = settingsOf(deps);
  const counts = { crashes: 0, faults: 0 };
  let policy = deps.policies[0];
  let started = 0;
  let zombies: SimulatedProcess[] = [];
  const start = () => {
    const build = buildsDiffer ? started : 0;
    return startProcess({ name: `process ${started++}`, policy, build, settings }, deps);
  };
  let current = start();
  let isStopping = false;

  const replace = () => {
    isStopping = false;
    // Restarted with another policy.
    if (crashes > 0 && script === undefined && random.chance(0.3)) policy = random.pick(deps.policies);
    current = start();
  };

  /** What was sent by then may arrive late, or never. */
  const kill = (process: SimulatedProcess) => {
    process.dead = true;
    const lost = scheduler.calls.filter(({ caller }) => caller === process && random.chance(0.5));
    for (const call of lost) scheduler.calls.splice(scheduler.calls.indexOf(call), 1);
  };

  const answer = (call: Call) => {
    if (answerCall(world, call, random, crashes > 0) === 'failed') counts.faults += 1;
  };

  return {
    counts,
    goOn() {
      const whose = random.weighted([
        ['current', 14],
        ['zombie', zombies.length > 0 ? 5 : 0],
        ['dead', 3],
      ] as const);
      const call = scheduler.take(random, ({ caller }) =>
        whose === 'current'
          ? caller === current
          : whose === 'dead'
            ? caller.dead
            : zombies.some((one) => one === caller),
      );
      if (call !== null) answer(call);
    },
    mayCrash: () => counts.crashes < crashes,
    crash(how) {
      counts.crashes += 1;
      const what =
        how ??
        random.weighted([
          ['dies', 5],
          ['hangs', 4],
          ['is revoked', 1.5],
          ['is stopped', 1.5],
        ] as const);
      if (what === 'dies') kill(current);
      else if (what === 'is stopped') {
        current.stop();
        isStopping = true;
        return;
      } else zombies.push(current);
      if (what === 'is revoked') current.revoke();
      replace();
    },
    look() {
      for (const process of [current, ...zombies])
        if (process.end !== null) mustBeExpected(process.end.error, world.forgets);
      zombies = zombies.filter(({ end }) => end === null);
      if (current.end === null) return;
      if (current.end.error === null && !isStopping) throw new Error('a lane ended that nobody told to');
      replace();
    },
    hasDrained(end) {
      const status = current.status();
      return !isStopping && status?.restored === true && status.frontier === end && status.openUnits === 0;
    },
    status: () => current.status(),
  };
}

/** Fenced by a successor, or cut off from a service at a point where only a restart helps: what else ends a lane is a bug. */
function mustBeExpected(error: unknown, forgets: boolean): void {
  const code = error instanceof RollstreamError ? error.code : '';
  // What a rebuild was about to read was deleted under its hands: the next owner finds it lost.
  const isForgotten = forgets && code === 'RS_OFFSET_OUT_OF_RANGE';
  if (error !== null && code !== 'RS_FENCED' && !isForgotten && !isOutage(error)) throw error;
}

function settingsOf({ world: { random }, reorderEvents }: CrewDeps): LaneSettings {
  return {
    partitions: 1,
    topicPrefix: '',
    // By the simulation's clock.
    deadlines: { gapMs: 3000, orphanMs: 4000, verdictMs: 5000, idleMs: 6000, groupMs: 15_000, lifetimeMs: 20_000 },
    reorderEvents,
    flush: {
      intervalMs: random.pick([50, 300, 1000]),
      maxBytes: random.pick([300, 1 << 20]),
      maxRows: random.pick([3, 10, 100]),
    },
    inFlightBytes: random.pick([1000, 1 << 20]),
  };
}
