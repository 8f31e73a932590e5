import { setTimeout as sleep } from 'node:timers/promises';
import { RollstreamError } from '../../errors.ts';
import type { Lane, Membership } from '../port.ts';
import { createGroupSession, type Pulse } from './group-session.ts';
import { type KafkaOptions, SESSION_TIMEOUT_MS } from './kafka-options.ts';
import { createNodes } from './nodes.ts';
import { createPartitionReader } from './partition-reader.ts';
import { isPassing, toBrokerError } from './to-broker-error.ts';
import type { Topics } from './topics.ts';

const HEARTBEAT_MS = 500;
const REJOIN_MS = 500;

interface Work {
  readonly revoke: () => void;
  /** Its work has returned; never rejects. */
  readonly stopped: Promise<void>;
}

/**
 * Member of a group. Rebalances are eager: every lane is revoked and its work awaited before the next generation is joined, while
 * heartbeats go on, so that a flush in flight is ended by its owner. A member that was silent for a session, by its own clock, takes
 * its lanes for lost: others may have them by then, and fence its producers.
 */
export async function joinGroup(
  deps: { readonly options: KafkaOptions; readonly topics: Topics },
  group: string,
  topic: string,
  work: (lane: Lane) => Promise<void>,
): Promise<Membership> {
  const { options, topics } = deps;
  await topics.partitionsOf(topic);
  const nodes = createNodes(options);
  const session = createGroupSession({ nodes, topics }, group, topic);
  const leaving = new AbortController();
  let failure: { readonly error: unknown } | null = null;
  /** When the heartbeat that was answered last was sent: the group's session ends no earlier than that long after it. */
  let spokeAt = Number.NEGATIVE_INFINITY;
  /** A lane ended: who has it next, the group has to sort out. */
  let isGivenBack = false;
  let wake: () => void = () => undefined;

  async function workOnce(partition: number, revoked: AbortSignal): Promise<void> {
    const reader = createPartitionReader(deps, topic, partition, true);
    try {
      await work({
        topic,
        partition,
        revoked,
        sessionMs: SESSION_TIMEOUT_MS,
        isHeld: () => !revoked.aborted && performance.now() - spokeAt < SESSION_TIMEOUT_MS,
        read: (offset, limits) => reader.read(offset, limits, revoked),
      });
    } finally {
      await reader.close();
    }
  }

  /** Until it is revoked, done, or fails for good. */
  async function workOn(partition: number, revoked: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await workOnce(partition, revoked);
      } catch (error) {
        if (!isUnreachable(error) || revoked.aborted) throw error;
        // Its transaction failed, and it is still ours: it alone is rebuilt. To leave would rebuild every lane of the group.
        options.log?.warn({ topic, partition, err: error }, 'a lane is rebuilt');
      }
      await pauseUnless(revoked, REJOIN_MS);
      if (revoked.aborted) return;
    }
  }

  function start(partition: number): Work {
    const revocation = new AbortController();
    const run = async (): Promise<void> => {
      try {
        await workOn(partition, revocation.signal);
      } catch (error) {
        // Fenced: somebody else may have the lane.
        if (isFenced(error) || isUnreachable(error)) {
          options.log?.warn({ topic, partition, err: error }, 'a lane is given back, to be rebuilt');
          isGivenBack = true;
        } else failure ??= { error };
        wake();
      }
    };
    return { revoke: () => revocation.abort(), stopped: run() };
  }

  /** Resolves after `ms`, or sooner if there is something to do. */
  function pause(ms: number): Promise<void> {
    if (leaving.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Until the lanes have to be given back. */
  async function keep(): Promise<void> {
    let heardAt = performance.now();
    while (!leaving.signal.aborted && failure === null && !isGivenBack) {
      const sentAt = performance.now();
      const pulse = await Promise.race([
        session.heartbeat().catch((error: unknown): Pulse | null => {
          if (!isPassing(error)) failure ??= { error: toBrokerError(error, `group ${group}`) };
          return null;
        }),
        // The watchdog: no answer is no lane.
        pauseFor(heardAt + SESSION_TIMEOUT_MS - performance.now()),
      ]);
      if (pulse === 'assigned') {
        heardAt = performance.now();
        spokeAt = sentAt;
      } else if (pulse !== null || performance.now() - heardAt >= SESSION_TIMEOUT_MS) return;
      await pause(HEARTBEAT_MS);
    }
  }

  async function giveBack(lanes: readonly Work[]): Promise<void> {
    for (const { revoke } of lanes) revoke();
    let isOver = false;
    const stopped = Promise.all(lanes.map((lane) => lane.stopped)).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([stopped, pauseFor(HEARTBEAT_MS)]);
      if (!isOver) await Promise.race([stopped, session.heartbeat().catch(() => undefined)]);
    }
  }

  let isJoined: () => void = () => undefined;
  const joined = new Promise<void>((resolve) => {
    isJoined = resolve;
  });

  async function live(): Promise<void> {
    let isOut = false;
    while (!leaving.signal.aborted && failure === null) {
      try {
        spokeAt = Number.NEGATIVE_INFINITY;
        const partitions = await session.join();
        if (isOut) options.log?.warn({ group }, 'joined again');
        isOut = false;
        isGivenBack = false;
        options.onRebalance?.();
        const lanes: Work[] = [];
        try {
          if (!leaving.signal.aborted) for (const partition of partitions) lanes.push(start(partition));
          isJoined();
          await keep();
        } finally {
          // Whatever was thrown: a lane that nobody watches over must not go on.
          await giveBack(lanes);
        }
        // Two that take an id from each other must not do so without end and pause.
        if (isGivenBack) await pause(REJOIN_MS);
      } catch (error) {
        if (!isPassing(error)) {
          failure = { error: toBrokerError(error, `group ${group}`) };
          break;
        }
        if (!isOut) options.log?.warn({ group, err: error }, 'cannot join; waiting for the broker');
        isOut = true;
        await pause(REJOIN_MS);
      }
    }
    await session.leave().catch(() => undefined);
    await nodes.close();
    if (failure !== null) throw failure.error;
  }

  const done = live();
  // Whoever leaves without looking at `done` must not end the process by that.
  done.catch(() => undefined);
  await Promise.race([joined, done]);
  return {
    done,
    async leave() {
      leaving.abort();
      wake();
      await done.catch(() => undefined);
    },
  };
}

function isFenced(error: unknown): boolean {
  return error instanceof RollstreamError && error.code === 'RS_FENCED';
}

function isUnreachable(error: unknown): boolean {
  return error instanceof RollstreamError && error.code === 'RS_BROKER_UNREACHABLE';
}

function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Resolves with null, and keeps no process alive. */
function pauseFor(ms: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), Math.max(0, ms)).unref();
  });
}
