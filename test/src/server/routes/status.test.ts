import { expect, it } from 'vitest';
import { statusRoutes } from '../../../../src/server/routes/status.ts';

it('says how far each lane is, and why the process is not ready', async () => {
  const lane = { restored: true, position: 90, openUnits: 2 };
  const app = statusRoutes({
    readiness: () => ({
      ready: false,
      reason: 'kafka does not answer',
      lanes: [
        { ...lane, partition: 0, frontier: 80, logEnd: 100, openAttempts: 3 },
        // The end was read before the last commit.
        { ...lane, partition: 1, frontier: 80, logEnd: 79, openAttempts: 0, restored: false },
      ],
    }),
    stepsTopic: 'one.rollout.steps',
    version: '1.2.3',
  });
  expect(await (await app.request('/status')).json()).toEqual({
    version: '1.2.3',
    readiness: { ready: false, reason: 'kafka does not answer' },
    lanes: [
      { topic: 'one.rollout.steps', partition: 0, frontier: 80, end: 100, lag: 20, open_attempts: 3, restored: true },
      { topic: 'one.rollout.steps', partition: 1, frontier: 80, end: 79, lag: 0, open_attempts: 0, restored: false },
    ],
  });
});
