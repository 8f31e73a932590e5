import type { Logger } from 'pino';
import type { ReadyEntry } from '../../processors/model/delivery.ts';
import type { DeliveryEffect, EffectAnswer, Task, TrainedBefore } from '../../processors/model/delivery-effects.ts';
import { RollstreamError } from '../errors.ts';
import type { RetryOutage } from '../lanes/retry-outage.ts';
import type { Sleep } from '../lanes/sleep.ts';
import type { LeaseLog } from './log/lease-log.ts';
import { startingError } from './session-errors.ts';

export interface EffectDeps {
  readonly leases: LeaseLog;
  /** By offset: why a payload cannot be delivered. */
  readonly unreadable: (entries: readonly ReadyEntry[]) => Promise<ReadonlyMap<number, string>>;
  readonly lookBack: (run: string, units: readonly string[]) => Promise<readonly TrainedBefore[]>;
  readonly outage: RetryOutage;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Aborted when the dispatcher may not go on. */
  readonly ended: AbortSignal;
}

/** Runs a task of the dispatcher to its end, doing in the world what it asks for. */
export type Perform = <T>(task: Task<T>) => Promise<T>;

/** Back-pressure: before a write whose outcome is unknown is made anew. */
const UNKNOWN_PAUSE_MS = 500;

export function createPerform(deps: EffectDeps): Perform {
  const { leases, unreadable, lookBack, outage, sleep, nowMs, log, ended } = deps;

  const answerTo = async (effect: DeliveryEffect): Promise<EffectAnswer> => {
    switch (effect.kind) {
      case 'write':
        try {
          await leases.append(effect.key, effect.record);
          return { landed: true };
        } catch (error) {
          // What was written is unknown; anything else wrote nothing, and would fail again.
          if (!isUnknown(error)) throw error;
          log.warn({ err: error, key: effect.key }, 'ready.leases: the outcome of a write is unknown');
          await sleep(UNKNOWN_PAUSE_MS, ended);
          return { landed: false };
        }
      case 'wait':
        await sleep(Math.max(0, effect.untilMs - nowMs()), ended);
        return {};
      case 'read_log':
        return { log: await outage('reading ready.leases', () => leases.read()) };
      case 'drop': {
        const dropped = outage('dropping spent records of ready.leases', () => leases.drop(effect.keys));
        if (effect.awaited) await dropped;
        // They are dropped again by whoever takes over: that they still stand there changes nothing.
        else dropped.catch((error: unknown) => log.warn({ err: error }, 'spent records of ready.leases stay'));
        return {};
      }
      case 'unreadable':
        return { unreadable: await outage('looking at payloads', () => unreadable(effect.entries)) };
      case 'look_back':
        return { trained: await outage('looking up what was trained', () => lookBack(effect.run, effect.units)) };
    }
  };

  return async function perform(task) {
    let step = task.next({});
    while (!step.done) {
      let answer: EffectAnswer;
      try {
        if (ended.aborted) throw startingError();
        answer = await answerTo(step.value);
      } catch (error) {
        step = task.throw(error);
        continue;
      }
      step = task.next(answer);
    }
    return step.value;
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof RollstreamError && error.code === 'RS_BROKER_UNREACHABLE';
}
