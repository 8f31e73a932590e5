import { Hono } from 'hono';
import { GATE_STATES } from '../../../processors/model/gate.ts';
import type { Access } from '../../access/access.ts';
import type { GateWish } from '../../gate/set-gate.ts';
import { mayUse } from '../auth/caller.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { bad, jsonBody, onlyFields, textOf } from '../request-value.ts';

const MOST_REASON_CHARACTERS = 1_000;
const FIELDS = ['release', 'state', 'classes', 'reason'];

/**
 * `GET /v1/gates?run`: the gate of each run. `POST /v1/runs/:run/gate {release: true, reason?}` opens one with a new window;
 * `{state, classes?, reason?}` sets it until it is released.
 */
export function gateRoutes({ access }: { readonly access: Pick<Access, 'gates' | 'setGate'> }): Hono<SenderEnv> {
  return new Hono<SenderEnv>()
    .get('/gates', async (c) => {
      const caller = callerOf(c);
      const gates = await access.gates(c.req.query('run') ?? null);
      return c.json({ gates: gates.filter(({ run_id }) => mayUse(caller, run_id)) });
    })
    .post('/runs/:run/gate', async (c) => {
      const body = await jsonBody(c);
      onlyFields(body, FIELDS);
      return c.json(await access.setGate(c.req.param('run'), wishOf(body)));
    });
}

function wishOf(body: Record<string, unknown>): GateWish {
  const reason = body.reason === undefined || body.reason === null ? null : textOf(body, 'reason');
  if (reason !== null && reason.length > MOST_REASON_CHARACTERS)
    throw bad('reason', `reason: at most ${MOST_REASON_CHARACTERS} characters`);
  if (body.release !== undefined) {
    if (body.release !== true || body.state !== undefined)
      throw bad('release', 'release: true, and no state beside it');
    return { wish: 'release', reason };
  }
  const state = GATE_STATES.find((name) => name === body.state);
  if (state === undefined) throw bad('state', `state: one of ${GATE_STATES.join(', ')} is needed, or release: true`);
  return { wish: 'set', state, classes: textsOf(body.classes), reason };
}

function textsOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item): item is string => typeof item === 'string')) return value;
  throw bad('classes', 'classes: a list of text is needed');
}
