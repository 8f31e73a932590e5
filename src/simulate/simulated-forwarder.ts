import type { Logger } from 'pino';
import type { TopicNames } from '../config/topics.ts';
import { RollstreamError } from '../errors.ts';
import { createForwardHeld } from '../gate/forward-held.ts';
import { isOutage } from '../lanes/retry-outage.ts';
import type { Codecs } from '../registry/codecs.ts';
import { answerCall } from './answer-call.ts';
import type { Random } from './random.ts';
import type { Caller } from './scheduler.ts';
import { createSimulatedBroker, createSimulatedStore, type World } from './simulated-ports.ts';

export interface ForwarderDeps {
  readonly world: World;
  readonly topics: TopicNames;
  readonly codecs: Codecs;
  readonly log: Logger;
  readonly group: string;
  readonly random: Random;
  /** Times that it dies, hangs or is told to stop. */
  readonly crashes: number;
}

/** The forwarder of what is held, with those before it that still believe that they are. */
export interface SimulatedForwarder {
  /** One call takes effect, or fails; or a process dies, hangs, is told to stop. */
  goOn(): void;
  /** Replaces what has ended; throws what no forwarder may end with. */
  look(): void;
  readonly counts: { crashes: number; faults: number };
}

interface Worker extends Caller {
  readonly stopping: AbortController;
  end: { readonly error: unknown } | null;
}

export function createSimulatedForwarder(deps: ForwarderDeps): SimulatedForwarder {
  const { world, topics, random, crashes } = deps;
  const { scheduler } = world;
  const counts = { crashes: 0, faults: 0 };
  let started = 0;
  let zombies: Worker[] = [];

  const start = (): Worker => {
    const worker: Worker = { name: `forwarder ${started++}`, dead: false, stopping: new AbortController(), end: null };
    const { codecs, log, group } = deps;
    const names = { group, heldTopic: topics.held, readyTopic: topics.ready, stateTopic: topics.state };
    const held = createForwardHeld({
      broker: createSimulatedBroker(world, worker),
      store: createSimulatedStore(world, worker),
      codecs,
      log,
      // Its waiting is no time for lanes: they have deadlines of their own.
      sleep: () => scheduler.call(worker, 'sleep', null, () => undefined),
      now: () => scheduler.clock.nowMs,
      ...names,
    });
    held.forward(worker.stopping.signal).then(
      () => {
        worker.end = { error: null };
      },
      (error: unknown) => {
        worker.end = { error };
      },
    );
    return worker;
  };
  let current = start();

  const crash = (): void => {
    counts.crashes += 1;
    const what = random.pick(['dies', 'dies', 'hangs', 'hangs', 'is stopped'] as const);
    if (what === 'is stopped') current.stopping.abort();
    else if (what === 'hangs') zombies.push(current);
    else {
      current.dead = true;
      // What was sent by then may arrive late, or never.
      const lost = scheduler.calls.filter(({ caller }) => caller === current && random.chance(0.5));
      for (const call of lost) scheduler.calls.splice(scheduler.calls.indexOf(call), 1);
    }
    if (what !== 'is stopped') current = start();
  };

  return {
    counts,
    goOn() {
      if (counts.crashes < crashes && random.chance(0.04)) {
        crash();
        return;
      }
      const isZombie = zombies.length > 0 && random.chance(0.3);
      const call = scheduler.take(random, ({ caller }) =>
        isZombie ? zombies.some((one) => one === caller) : caller === current,
      );
      if (call !== null && answerCall(world, call, random, crashes > 0) === 'failed') counts.faults += 1;
    },
    look() {
      for (const { end } of [current, ...zombies]) if (end !== null) mustBeExpected(end.error);
      zombies = zombies.filter(({ end }) => end === null);
      if (current.end !== null) current = start();
    },
  };
}

/** What it waits for while it is told to stop: what else ends it is a bug. */
function mustBeExpected(error: unknown): void {
  const isFenced = error instanceof RollstreamError && error.code === 'RS_FENCED';
  if (error !== null && !isFenced && !isOutage(error)) throw error;
}
