import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { jsonObject, textOf } from '../request-value.ts';

/** `POST /v1/policies {policy, name?}`: puts a policy, as YAML text, in force from now on. `name` says in errors where it stands. */
export function policyRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono().post('/policies', async (c) => {
    const body = jsonObject(await c.req.json().catch(() => null));
    const where = body.name === undefined ? 'the policy' : textOf(body, 'name');
    return c.json(await access.applyPolicy({ text: textOf(body, 'policy'), where }));
  });
}
