import { Hono } from 'hono';
import type { Delivery } from '../../delivery/delivery.ts';
import type { AnnounceVersion } from '../../versions/announce-version.ts';
import { bad, isGiven, isWhole, jsonBody, nameOf, onlyFields, wholeOf } from '../request-value.ts';

/**
 * `POST /v1/versions {run, lineage?, step, version}`: the trainer announces weights, before engines get them. Answered with their
 * place in the order once that is durable; the same again is answered the same; a name that was used is refused (409), and so is
 * a lineage that was left.
 */
export function versionRoutes(deps: {
  readonly announceVersion: AnnounceVersion;
  readonly delivery: Pick<Delivery, 'checkVersion'>;
  readonly now: () => number;
}): Hono {
  return new Hono().post('/versions', async (c) => {
    const body = await jsonBody(c);
    onlyFields(body, ['run', 'lineage', 'step', 'version']);
    const [run, version, lineage] = [nameOf(body, 'run'), nameOf(body, 'version'), lineageText(body)];
    const step = wholeOf(body, 'step', 0, Number.MAX_SAFE_INTEGER);
    await deps.delivery.checkVersion({ run, lineage, version });
    const announced = { run_id: run, lineage, step, version, announced_at: deps.now() * 1000 };
    return c.json({ run, lineage, step, version, ordinal: await deps.announceVersion(announced) });
  });
}

/** As policy.versions has it: the number that delivery gave, and empty text for the first one; or a name of the trainer's own. */
function lineageText(body: Record<string, unknown>): string {
  const { lineage } = body;
  if (!isGiven(body, 'lineage') || lineage === '' || lineage === 0 || lineage === '0') return '';
  if (typeof lineage === 'string') return nameOf(body, 'lineage');
  if (isWhole(lineage, 0, Number.MAX_SAFE_INTEGER)) return String(lineage);
  throw bad('lineage', 'lineage: a whole number, or a name, is needed');
}
