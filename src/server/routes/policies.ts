import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { jsonBody, textOf } from '../request-value.ts';

/** `POST /v1/policies {policy, name?}`: puts a policy, as YAML text, in force from now on. `name` says in errors where it stands. */
export function policyRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono().post('/policies', async (c) => {
    const body = await jsonBody(c);
    const where = body.name === undefined ? 'the policy' : textOf(body, 'name');
    return c.json(await access.applyPolicy({ text: textOf(body, 'policy'), where }));
  });
}
