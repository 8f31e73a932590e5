import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import type { Explanation } from '../../access/explanation.ts';
import { type Caller, mayUse } from '../auth/caller.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';

/** `GET /v1/rollouts/:id?run=`: everything decided about a rollout, with what became of it in words. */
export function rolloutRoutes({ access }: { readonly access: Pick<Access, 'explain'> }): Hono<SenderEnv> {
  return new Hono<SenderEnv>().get('/rollouts/:id', async (c) => {
    const explanation = await access.explain(c.req.param('id'), c.req.query('run') ?? null);
    return c.json(withoutForks(explanation, callerOf(c)));
  });
}

/** Who took a rollout in a fork of its run is told to those who may read the fork. */
function withoutForks(explanation: Explanation, caller: Caller): Explanation {
  if (caller.runs === null) return explanation;
  const rollouts = explanation.rollouts.map((rollout) => ({
    ...rollout,
    attempts: rollout.attempts.map(({ deliveries, ...attempt }) => {
      const mine = deliveries?.filter(({ run_id }) => mayUse(caller, run_id)) ?? [];
      return mine.length === 0 ? attempt : { ...attempt, deliveries: mine };
    }),
  }));
  return { ...explanation, rollouts };
}
