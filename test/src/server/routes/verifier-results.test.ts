import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerClient } from '../../../../src/access/server-client.ts';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { openApi } from '../../../../src/server/openapi.ts';
import { verifierResultRoutes } from '../../../../src/server/routes/verifier-results.ts';
import { createRemoteVerifierCache } from '../../../../src/verify/remote-verifier-cache.ts';
import { createStoreVerifierCache } from '../../../../src/verify/store-verifier-cache.ts';
import type { VerifierAnswer } from '../../../../src/verify/verifier.ts';
import { type TemporaryStore, temporaryStore } from '../../clickhouse/temporary-store.ts';

const hash = (n: number) => n.toString(16).padStart(64, '0');
const verifier = { scorer: 'tests', version: '1' };

let temporary: TemporaryStore;
let request: (path: string, body: unknown) => Promise<Response>;
let client: ServerClient;
let bodies: number[] = [];
beforeAll(async () => {
  temporary = await temporaryStore();
  let now = 1_700_000_000_000;
  const verifierCache = createStoreVerifierCache({ store: temporary.store, now: () => now++ });
  const app = verifierResultRoutes({ verifierCache });
  app.onError(errorResponse);
  request = async (path, body) =>
    app.request(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  client = ({ path, body }) => {
    const text = String(body?.bytes);
    bodies.push(text.length);
    return request(path.replace('/v1', ''), text);
  };
});
afterAll(() => temporary.remove());

const scored: VerifierAnswer = {
  ...{ status: 'scored', rewards: { a: 0.1, b: null, ü: -0 }, report: '{"why":"ü"}', cost: 0.25, durationMs: 12.5 },
};
const refused: VerifierAnswer = {
  ...{ status: 'refused', rewards: {}, report: 'needs the sandbox', cost: null, durationMs: 0 },
};

describe('what is kept is found again, at a server as in its store', () => {
  it('as it was, by scorer, version and content', async () => {
    const cache = createRemoteVerifierCache(client);
    await cache.keep(verifier, [
      { hash: hash(1), answer: scored },
      { hash: hash(2), answer: refused },
    ]);
    const wanted = [hash(1), hash(2), hash(3)];
    const found = await cache.find(verifier, wanted);
    const expected = new Map([
      [hash(1), { ...scored, rewards: { a: 0.1, b: null, ü: 0 } }],
      [hash(2), refused],
    ]);
    expect(found).toEqual(expected);
    expect((await cache.find({ ...verifier, version: '2' }, wanted)).size).toBe(0);
    expect((await cache.find({ ...verifier, scorer: 'others' }, wanted)).size).toBe(0);
    expect((await cache.find(verifier, [])).size).toBe(0);
  });

  it('the last answer to the same counts', async () => {
    const cache = createRemoteVerifierCache(client);
    for (const reward of [1, 2])
      await cache.keep(verifier, [{ hash: hash(9), answer: { ...scored, rewards: { reward } } }]);
    expect((await cache.find(verifier, [hash(9)])).get(hash(9))?.rewards).toEqual({ reward: 2 });
  });

  it('many of them travel in bodies of a bounded size', async () => {
    bodies = [];
    const answers = Array.from({ length: 400 }, (_, n) => ({
      hash: hash(1_000 + n),
      answer: { ...scored, report: 'x'.repeat(16_000) },
    }));
    const cache = createRemoteVerifierCache(client);
    await cache.keep(verifier, answers);
    expect(bodies.length).toBeGreaterThan(1);
    expect(Math.max(...bodies)).toBeLessThan(2.1 * 2 ** 20);
    const found = await cache.find(
      verifier,
      answers.map((one) => one.hash),
    );
    expect(found.size).toBe(400);
  });
});

describe('what cannot be taken is refused by field', () => {
  const result = { content_hash: hash(1), status: 'scored', rewards: { a: 1 }, duration_ms: 1 };
  const many = Array.from({ length: 1_001 }, (_, n) => hash(n));
  const cases: readonly (readonly [path: string, body: unknown, field: string])[] = [
    ['', { version: '1', results: [] }, 'scorer'],
    ['', { ...verifier, results: {} }, 'results'],
    ['', { ...verifier, results: [], result: [] }, 'result'],
    ['', { ...verifier, results: [1] }, 'results[0]'],
    ['', { ...verifier, results: [result, { ...result, content_hash: 'x' }] }, 'results[1].content_hash'],
    ['', { ...verifier, results: [{ ...result, status: 'unknown' }] }, 'results[0].status'],
    ['', { ...verifier, results: [{ ...result, rewards: { a: '1' } }] }, 'results[0].rewards'],
    ['', { ...verifier, results: [{ ...result, duration_ms: null }] }, 'results[0].duration_ms'],
    ['', { ...verifier, results: [{ ...result, cost: 'x' }] }, 'results[0].cost'],
    ['', { ...verifier, results: [{ ...result, more: 1 }] }, 'results[0].more'],
    ['/find', { ...verifier, hashes: many }, 'hashes'],
    ['/find', { ...verifier, hashes: [1] }, 'hashes[0]'],
    ['/find', { ...verifier, version: '', hashes: [] }, 'version'],
  ];
  for (const [path, body, field] of cases) {
    it(`${path} ${field}`, async () => {
      const response = await request(`/verifier-results${path}`, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'RS_USAGE', field } });
    });
  }
});

it('each route is described', () => {
  expect(Object.keys(openApi.paths)).toEqual(
    expect.arrayContaining(['/v1/verifier-results', '/v1/verifier-results/find']),
  );
});
