import { expect, it } from 'vitest';
import type { DeliveryJson, ExplainedAttempt, Explanation } from '../../../../src/access/explanation.ts';
import type { Caller } from '../../../../src/server/auth/caller.ts';
import { digestOf, type KnownTokens } from '../../../../src/server/auth/known-tokens.ts';
import { idleAccess, idleServer } from '../idle-server.ts';

const delivered = (run_id: string): DeliveryJson => ({
  ...{ run_id, ready_offset: 0, lease_id: '1.a.1', lineage: 0, step: null, consumer: `trainer of ${run_id}` },
  ...{ deliveries: 1, reason: '', weights_version: '', lag: null, tokens: 6, deadline: null, ready_at: '' },
  ...{ taken_at: null, ended_at: null, waited_ms: null, at: '', state: 'leased', recorded_state: 'leased' },
  ran_out: false,
});

const attempt = (...runs: string[]): ExplainedAttempt => ({
  ...{ attempt: 0, summary: '', would_train: [], started: null, decision: null, closed_by: null, policy: null },
  ...{ reward_parts: [], rewards: [], verdicts: [], steps: [], step_faults: [], audits: [], trajectory: null },
  ...(runs.length === 0 ? {} : { deliveries: runs.map(delivered) }),
});

const EXPLANATION: Explanation = {
  rollout_id: 'r0',
  rollouts: [
    {
      ...{ run_id: 'mine', epoch: 0, unit: 'mine/0/r/r0', summary: '', group: null },
      attempts: [attempt('mine', 'fork', 'mine too'), attempt('fork'), attempt()],
    },
  ],
};

const caller = (id: string, runs: ReadonlySet<string> | null): Caller => ({ id, name: id, role: 'reader', runs });
const CALLERS = [caller('some', new Set(['mine', 'mine too'])), caller('all', null)];
const tokens: KnownTokens = {
  areNeeded: () => true,
  find: (digest) => CALLERS.find(({ id }) => digestOf(id).equals(digest)) ?? null,
  sessionKey: () => null,
};

it('who took a rollout in a fork of its run is told to those who may read the fork', async () => {
  const app = idleServer({ tokens, access: { ...idleAccess(), explain: async () => EXPLANATION } });
  const explained = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    return (await app.request('http://127.0.0.1/v1/rollouts/r0?run=mine', { headers })).json();
  };
  const [rollout] = EXPLANATION.rollouts;
  expect(await explained('all')).toEqual(EXPLANATION);
  expect(await explained('some')).toEqual({
    rollout_id: 'r0',
    rollouts: [{ ...rollout, attempts: [attempt('mine', 'mine too'), attempt(), attempt()] }],
  });
});
