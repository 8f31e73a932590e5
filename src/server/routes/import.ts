import { setTimeout as sleep } from 'node:timers/promises';
import { Hono } from 'hono';
import type { ImportTarget } from '../../access/import-target.ts';
import { type FramedRecord, RECORDS_TYPE, unframeRecords } from '../../access/record-frames.ts';
import { bad, isObject, jsonBody, textOf } from '../request-value.ts';

/** A request that waits longer is answered "not yet", so that no proxy cuts it. */
const DRAIN_WAIT_MS = 20_000;

/**
 * What `rollstream import` sends to a server that owns the data folder. The command reads the files and sends records: no path
 * of a request ever reaches the file system. Internal: not part of the public API.
 */
export function importRoutes(target: ImportTarget): Hono {
  return new Hono()
    .post('/import/schema', async (c) => {
      const body = await jsonBody(c);
      if (!isObject(body.schema)) throw bad('schema', 'schema: an Avro record is needed');
      return c.json({ id: await target.register(textOf(body, 'subject'), JSON.parse(JSON.stringify(body.schema))) });
    })
    .post('/import/events', async (c) => {
      await target.appendSteps(await recordsOf(c.req.raw));
      return c.json({});
    })
    .post('/import/dead-letters', async (c) => {
      await target.appendDeadLetters(await recordsOf(c.req.raw));
      return c.json({});
    })
    .post('/import/ended', async (c) => {
      for (const record of await recordsOf(c.req.raw)) await target.appendToEveryPartition(record);
      return c.json({});
    })
    .get('/import/closed-runs', async (c) => c.json({ closed: [...(await target.closedRuns())] }))
    .get('/import/drained', async (c) => {
      const late = new AbortController();
      const wait = sleep(DRAIN_WAIT_MS, false, { signal: late.signal }).catch(() => false);
      const drained = await Promise.race([target.drained().then(() => true), wait]);
      late.abort();
      return c.json({ drained });
    });
}

async function recordsOf(request: Request): Promise<FramedRecord[]> {
  if (request.headers.get('content-type') !== RECORDS_TYPE)
    throw bad('content-type', `the body must be ${RECORDS_TYPE}`);
  const records = unframeRecords(Buffer.from(await request.arrayBuffer()));
  if (records === null) throw bad('', 'the body is cut short, or no frames');
  return records;
}
