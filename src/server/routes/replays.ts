import { Hono } from 'hono';
import { readNewVerdicts } from '../../rescore/read-new-verdict.ts';
import { checkedReplayId, readReplayRequest } from '../../rescore/read-replay-request.ts';
import type { Replays } from '../../rescore/replays.ts';
import { jsonBody } from '../request-value.ts';

const LINES_TYPE = 'application/x-ndjson';

/**
 * `POST /v1/replays`: begins one, or goes on with it; it works on after the answer. `GET /v1/replays[/:id[/report]]`: how far they
 * are, what they changed. `POST /v1/replays/:id/{cancel,verdicts}`. Documents travel as text, and no command is ever started here.
 */
export function replayRoutes({ replays }: { readonly replays: Replays }): Hono {
  const idOf = (id: string): string => checkedReplayId(id, 'id');
  return new Hono()
    .post('/replays', async (c) => c.json(await replays.start(readReplayRequest(await jsonBody(c)))))
    .get('/replays', async (c) => c.json({ replays: await replays.list() }))
    .get('/replays/:id', async (c) => c.json(await replays.status(idOf(c.req.param('id')))))
    .get('/replays/:id/report', async (c) => c.json(await replays.report(idOf(c.req.param('id')))))
    .post('/replays/:id/cancel', async (c) => c.json(await replays.cancel(idOf(c.req.param('id')))))
    .post('/replays/:id/verdicts', async (c) => {
      const isLines = c.req.header('content-type')?.startsWith(LINES_TYPE) ?? false;
      const verdicts = readNewVerdicts(await c.req.text(), isLines);
      await replays.addVerdicts(idOf(c.req.param('id')), verdicts);
      return c.json({ kept: verdicts.length });
    });
}
