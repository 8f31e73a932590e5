import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { LeaseRecord } from '../../../processors/model/delivery.ts';
import type { DeliveryEffect, EffectAnswer, Task } from '../../../processors/model/delivery-effects.ts';
import { createPerform } from '../../../src/delivery/perform-effects.ts';
import { RollstreamError } from '../../../src/errors.ts';
import { createRetryOutage } from '../../../src/lanes/retry-outage.ts';

const record: LeaseRecord = { kind: 'indexed', offset: 1, claim: 1, by: 'a', seq: 2, at: 0 };
const write: DeliveryEffect = { kind: 'write', record, key: '1.a.2' };
const log = pino({ level: 'silent' });

/** A log that fails as it is told, then works. */
function createStage(failures: Error[]) {
  const appended: string[] = [];
  const dropped: string[][] = [];
  const slept: number[] = [];
  const over = new AbortController();
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
  };
  const fail = (): void => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const perform = createPerform({
    leases: {
      async append(key) {
        appended.push(key);
        fail();
      },
      async drop(keys) {
        fail();
        dropped.push([...keys]);
      },
      async read() {
        fail();
        return [{ key: '1.a.2', record }];
      },
    },
    unreadable: async (entries) => new Map(entries.map(({ offset }) => [offset, 'gone'])),
    lookBack: async (_, units) => units.map((unit) => ({ offset: 0, unit, rollout: 'r', lineage: 0, step: 1 })),
    outage: createRetryOutage({ log, sleep, ended: over.signal }),
    ...{ sleep, log, nowMs: () => 1_000, ended: over.signal },
  });
  return { perform, appended, dropped, slept, over };
}
function* asking(effect: DeliveryEffect): Task<EffectAnswer> {
  return yield effect;
}
const outage = () => new RollstreamError('RS_BROKER_UNREACHABLE', 'gone');

it('a write has landed, or after an outage nobody knows: a pause, and the task decides', async () => {
  const { perform, slept } = createStage([outage()]);
  expect(await perform(asking(write))).toEqual({ landed: false });
  expect(slept).toEqual([500]);
  expect(await perform(asking(write))).toEqual({ landed: true });
});

it('a write that was refused ends the task, which may still put its things in order', async () => {
  const { perform } = createStage([new RollstreamError('RS_DISK_FULL', 'full')]);
  let isTidy = false;
  function* task(): Task<void> {
    try {
      yield write;
    } finally {
      isTidy = true;
    }
  }
  await expect(perform(task())).rejects.toMatchObject({ code: 'RS_DISK_FULL' });
  expect(isTidy).toBe(true);
});

it('the log is read through an outage, tombstones that are awaited are written through one', async () => {
  const { perform, dropped } = createStage([outage(), outage()]);
  expect(await perform(asking({ kind: 'read_log' }))).toEqual({ log: [{ key: '1.a.2', record }] });
  await perform(asking({ kind: 'drop', keys: ['k'], awaited: true }));
  expect(dropped).toEqual([['k']]);
});

it('it waits until the time that was asked for', async () => {
  const { perform, slept } = createStage([]);
  await perform(asking({ kind: 'wait', untilMs: 4_000 }));
  await perform(asking({ kind: 'wait', untilMs: 0 }));
  expect(slept).toEqual([3_000, 0]);
});

it('once the lane is gone nothing more is written', async () => {
  const { perform, appended, over } = createStage([]);
  over.abort();
  await expect(perform(asking(write))).rejects.toMatchObject({ code: 'RS_STARTING' });
  expect(appended).toEqual([]);
});
