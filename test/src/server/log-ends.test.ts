import { expect, it, onTestFinished } from 'vitest';
import type { LaneStatus } from '../../../src/lanes/lanes.ts';
import { watchLogEnds } from '../../../src/server/log-ends.ts';

const LANE: LaneStatus = {
  partition: 1,
  restored: true,
  frontier: 5,
  position: 7,
  logEnd: 7,
  openUnits: 0,
  openAttempts: 0,
};

it('a lane that reads nothing still shows how far its log has grown, also while the broker cannot be asked', async () => {
  const answers = [async () => ({ start: 0, end: 90 }), () => Promise.reject(new Error('no broker'))];
  let asked = 0;
  let enough: () => void = () => {};
  const askedThreeTimes = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const ends = watchLogEnds({
    broker: {
      bounds(topic, partition) {
        expect([topic, partition]).toEqual(['steps', 1]);
        asked += 1;
        if (asked === 3) enough();
        return (answers[asked - 1] ?? answers[1] ?? Promise.reject)();
      },
    },
    topic: 'steps',
    status: () => [LANE],
    everyMs: 1,
  });
  onTestFinished(() => ends.close());
  await askedThreeTimes;
  expect(ends.status()).toEqual([{ ...LANE, logEnd: 90 }]);
});
