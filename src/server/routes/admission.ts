import { Hono } from 'hono';
import type { Admission } from '../../admission/admission.ts';
import { jsonBody, nameOf, wholeOf } from '../request-value.ts';

const MOST_AT_ONCE = 1_000_000;

/** `POST /v1/runs/:run/admission {count, env?}`: how many rollouts may start now. */
export function admissionRoutes({ admission }: { readonly admission: Admission }): Hono {
  return new Hono().post('/runs/:run/admission', async (c) => {
    const body = await jsonBody(c);
    const count = wholeOf(body, 'count', 1, MOST_AT_ONCE);
    const env = body.env === undefined || body.env === null ? null : nameOf(body, 'env');
    return c.json(await admission({ runId: c.req.param('run'), env, count }));
  });
}
