import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { NEXT_HEADER, REMAINING_HEADER } from '../headers.ts';
import { wholeNumber } from '../request-value.ts';
import type { WhileWanted } from '../while-wanted.ts';

const MAX_PAGE = 1_000;
const MAX_WAIT_MS = 30_000;

/**
 * `GET /v1/ready?from&limit&run&group&wait_ms`: a page of the ready topic as JSON Lines. The header says where the next one
 * begins; with wait_ms it waits for a first trajectory (long poll).
 */
export function readyRoutes({
  access,
  whileWanted,
}: {
  readonly access: Access;
  readonly whileWanted: WhileWanted;
}): Hono {
  return new Hono().get('/ready', async (c) => {
    const query = {
      from: wholeNumber(c.req.query('from'), 'from', 0, Number.MAX_SAFE_INTEGER),
      limit: wholeNumber(c.req.query('limit'), 'limit', 100, MAX_PAGE),
      waitMs: wholeNumber(c.req.query('wait_ms'), 'wait_ms', 0, MAX_WAIT_MS),
      runId: c.req.query('run') ?? null,
      groupId: c.req.query('group') ?? null,
    };
    const page = await whileWanted(c.req.raw.signal, (signal) => access.ready({ ...query, signal }));
    if (page === null) return c.body(null, 204);
    const lines = page.trajectories.map((trajectory) => `${JSON.stringify(trajectory)}\n`);
    return c.body(lines.join(''), 200, {
      'content-type': 'application/x-ndjson',
      [NEXT_HEADER]: String(page.next),
      [REMAINING_HEADER]: page.atEnd ? '0' : '1',
    });
  });
}
