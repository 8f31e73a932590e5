import { Hono } from 'hono';
import type { AnnounceVersion } from '../../versions/announce-version.ts';
import { bad, jsonObject, nameOf, textOf, wholeOf } from '../request-value.ts';

/**
 * `POST /v1/versions {run, lineage?, step, version}`: the trainer announces weights, before engines get them. Answered with their
 * place in the order once that is durable; the same again is answered the same; a name that was used is refused (409).
 */
export function versionRoutes(deps: { readonly announceVersion: AnnounceVersion; readonly now: () => number }): Hono {
  return new Hono().post('/versions', async (c) => {
    const body = jsonObject(await c.req.json().catch(() => null));
    const [run, version] = [nameOf(body, 'run'), nameOf(body, 'version')];
    const lineage = body.lineage === undefined ? '' : textOf(body, 'lineage');
    if (lineage !== '') nameOf(body, 'lineage');
    const step = wholeOf(body, 'step', 0, Number.MAX_SAFE_INTEGER);
    const unknown = Object.keys(body).find((key) => !['run', 'lineage', 'step', 'version'].includes(key));
    if (unknown !== undefined) throw bad(unknown, `${unknown}: not known; run, lineage, step and version are`);
    const announced = { run_id: run, lineage, step, version, announced_at: deps.now() * 1000 };
    return c.json({ run, lineage, step, version, ordinal: await deps.announceVersion(announced) });
  });
}
