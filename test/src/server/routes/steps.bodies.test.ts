import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type IngestServer,
  JSON_TYPE,
  LINES,
  linesOf,
  rolloutEvents,
  startIngestServer,
} from '../../ingest/http/ingest-server.ts';

const LIMIT = 1024 * 1024;

let server: IngestServer;
beforeAll(async () => {
  server = await startIngestServer({ ROLLSTREAM_LIMITS_INGEST_BODY: '1MB', ROLLSTREAM_LIMITS_INGEST_IN_FLIGHT: '9MB' });
});
afterAll(() => server.stop());

const steps = (body: Body, headers: Record<string, string> = LINES) => server.post('/v1/steps', body, headers);
const started = async (): Promise<string[]> =>
  (
    await server.query<{ rollout_id: string }>('SELECT rollout_id FROM rollstream.attempts FINAL ORDER BY rollout_id')
  ).map(({ rollout_id }) => rollout_id);
const start = (rollout: string) => rolloutEvents(rollout).slice(0, 1);

/** Pieces as a connection brings them, in a body whose length nobody said. */
function streamOf(pieces: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const source = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const next = source.next();
      if (next.done) controller.close();
      else controller.enqueue(Buffer.from(next.value));
    },
  });
}

describe('events are taken', () => {
  it.each([
    ['as lines, the last of them without its end', linesOf(rolloutEvents('a')).trimEnd(), LINES, 3],
    ['as one JSON document', JSON.stringify(start('b')[0], null, 2), JSON_TYPE, 1],
    ['as an array', JSON.stringify(rolloutEvents('c'), null, 2), JSON_TYPE, 3],
    [
      'as an object of events',
      JSON.stringify({ events: rolloutEvents('d') }),
      { 'content-type': 'application/json; charset=utf-8' },
      3,
    ],
    ['gzipped', gzipSync(linesOf(rolloutEvents('e'))), { ...LINES, 'content-encoding': 'gzip' }, 3],
    ['in pieces of five bytes', streamOf(linesOf(rolloutEvents('f')).match(/.{1,5}/gs) ?? []), LINES, 3],
  ])('%s', async (_, body, headers, accepted) => {
    expect(await steps(body, headers)).toMatchObject({
      status: 200,
      body: { accepted, refused_count: 0, refused: [] },
    });
  });

  it.each([
    ['lines', '', LINES],
    ['blank lines', '\n \r\n', LINES],
    ['an array', ' [ ] ', JSON_TYPE],
    ['an object of events', '{"events": []}', JSON_TYPE],
  ])('none of empty %s', async (_, body, headers) => {
    expect(await steps(body, headers)).toMatchObject({ status: 200, body: { accepted: 0, refused: [] } });
  });

  it('with ids of more than 53 bits, and with lone surrogates, each its own', async () => {
    const ids = ['9007199254740993', '9007199254740992', '"\\ud83d"', '"\\ud83e"', '"\\ufffd"'];
    const lines = ids.map((id) => `{"run_id":"ids","rollout_id":${id},"kind":"start","seq":0,"start":{}}`);
    expect(await steps(linesOf(lines))).toMatchObject({ status: 200, body: { accepted: 5 } });
    const rows = await server.query<{ id: string }>(
      "SELECT hex(rollout_id) AS id FROM rollstream.attempts FINAL WHERE run_id = 'ids' ORDER BY id",
    );
    const digits = (id: string) => Buffer.from(id).toString('hex').toUpperCase();
    expect(rows.map(({ id }) => id)).toEqual([
      ...[digits('9007199254740992'), digits('9007199254740993')],
      ...['EDA0BD', 'EDA0BE', 'EFBFBD'],
    ]);
  });

  it('from two clients at once, all of both', async () => {
    const many = (client: string) =>
      linesOf(Array.from({ length: 300 }, (_, n) => rolloutEvents(`${client}-${n}`)).flat());
    const answers = await Promise.all(['x', 'y'].map((client) => steps(many(client))));
    expect(answers.map(({ body }) => body.accepted)).toEqual([900, 900]);
    const ids = await started();
    for (const client of ['x', 'y']) expect(ids.filter((id) => id.startsWith(`${client}-`))).toHaveLength(300);
  });
});

describe('a body is refused whole', () => {
  it.each([
    ['without a content-type', new Uint8Array(Buffer.from('{}')), {}, 'content-type'],
    ['that is a page', '<html>', { 'content-type': 'text/html' }, 'content-type'],
    ['in another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 'content-type'],
    ['packed by something else', '{}', { ...LINES, 'content-encoding': 'br' }, 'content-encoding'],
    ['that is no Avro container', '{}', { 'content-type': 'application/avro' }, undefined],
    ['that is empty, where JSON is said', '', JSON_TYPE, undefined],
  ])('%s', async (_, body, headers, field) => {
    const answer = await steps(body, headers);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'RS_USAGE' }, accepted: 0, refused: [] } });
    expect(answer.body.error?.field).toBe(field);
  });

  it('whose length is said to be above the limit, before it is read', async () => {
    const { status, body } = await steps('x'.repeat(LIMIT + 1));
    expect(status).toBe(413);
    expect(body).toMatchObject({
      error: { code: 'RS_TOO_LARGE', message: expect.stringContaining('limits.ingest_body') },
    });
    expect(body.accepted).toBe(0);
  });
});

describe('a body that says it is JSON', () => {
  it('and is a page, is named as a record that is none', async () => {
    const { status, body } = await steps('<html><body>502</body></html>', JSON_TYPE);
    expect(status).toBe(422);
    expect(body).toMatchObject({ accepted: 0, refused: [{ index: 0, expected: 'JSON' }] });
  });

  it('and is lines, is told what is wrong', async () => {
    const { status, body } = await steps(linesOf(rolloutEvents('never')), JSON_TYPE);
    expect(status).toBe(422);
    expect(body.refused?.[0]?.message).toMatch(/text after the end of the value/);
  });
});

describe('of a body that ends early, what was whole before stands and is counted', () => {
  const lines = linesOf([...start('cut-1'), ...start('cut-2')]);

  it('when it goes on above the limit', async () => {
    const endless = function* () {
      yield linesOf(start('endless'));
      for (let sent = 0; sent < 200; sent++) yield Buffer.alloc(LIMIT, 'x');
    };
    const answer = await steps(streamOf(endless())).catch(() => null);
    if (answer !== null)
      expect(answer).toMatchObject({ status: 413, body: { error: { code: 'RS_TOO_LARGE' }, accepted: 1 } });
    expect(await started()).toContain('endless');
  });

  it('when it is a bomb of gzip, which is not unpacked', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(linesOf(start('bomb'))), Buffer.alloc(64 * LIMIT, 'x')]));
    expect(bomb.length).toBeLessThan(LIMIT);
    const { status, body } = await steps(bomb, { ...LINES, 'content-encoding': 'gzip' });
    expect(status).toBe(413);
    expect(body).toMatchObject({ error: { code: 'RS_TOO_LARGE' }, accepted: 1 });
    expect(await started()).toContain('bomb');
  });

  it('when its gzip is cut', async () => {
    const filler = Array.from({ length: 4_000 }, (_, n) => `{"no":${(n * 7919) % 65_536}}`);
    const whole = gzipSync(linesOf([...start('gzip'), ...filler]));
    const { status, body } = await steps(whole.subarray(0, -20), { ...LINES, 'content-encoding': 'gzip' });
    expect(status).toBe(400);
    expect(body.error?.message).toMatch(/^the gzip of the body is cut short; nothing was read from record \d+ on$/);
    expect(body.accepted).toBe(1);
    expect(body.refused_count).toBeGreaterThan(3_000);
    expect(body.refused).toHaveLength(1_000);
    expect(await started()).toContain('gzip');
  });

  it('when it is an array without its end', async () => {
    const text = JSON.stringify([...start('array-1'), ...start('array-2')]);
    const { status, body } = await steps(text.slice(0, -5), JSON_TYPE);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'RS_USAGE', record: 1 }, accepted: 1 });
    expect(body.error?.message).toMatch(/^the JSON of the body is cut short/);
  });

  it('when the client goes away in the middle of a record', async () => {
    await new Promise<void>((resolve) => {
      const { hostname, port } = new URL(server.url);
      const headers = { ...LINES, 'content-length': String(lines.length + 100) };
      const call = request({ hostname, port, path: '/v1/steps', method: 'POST', headers });
      call.on('error', () => resolve());
      call.write(`${lines}{"run_id":"r","rollout_id":"cut-3","kind":"start"`, () => call.destroy(new Error('gone')));
    });
    for (let ids: string[] = []; !ids.includes('cut-2'); ) ids = await started();
    expect((await started()).filter((id) => id.startsWith('cut-'))).toEqual(['cut-1', 'cut-2']);
  });
});

it('while others fill the memory, a body is answered 429 with the time to come back, and taken later', async () => {
  const open: { end(): void; readonly answered: Promise<unknown> }[] = [];
  for (const name of ['full-1', 'full-2']) {
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(linesOf(start(name))));
        end = () => controller.close();
      },
    });
    open.push({ end: () => end(), answered: steps(body) });
  }
  let refused = await steps(gzipSync(linesOf(start('full-3'))), { ...LINES, 'content-encoding': 'gzip' });
  // Those before it may not have arrived yet.
  while (refused.status === 200) refused = await steps(gzipSync('\n'), { ...LINES, 'content-encoding': 'gzip' });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RS_INGEST_FULL' }, accepted: 0 } });
  expect(refused.headers.get('retry-after')).toBe('1');
  for (const { end } of open) end();
  for (const { answered } of open) expect(await answered).toMatchObject({ status: 200, body: { accepted: 1 } });
  expect(await steps(linesOf(start('full-3')))).toMatchObject({ status: 200, body: { accepted: 1 } });
});
