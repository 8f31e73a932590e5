import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { pieceRoutes } from '../../../../src/server/routes/pieces.ts';
import type { Pieces } from '../../../../src/tokenizers/pieces/open-pieces.ts';

const SHA = 'ab'.repeat(32);
const tokenizer = { sha256: SHA, name: 'own', source: 'configured' } as const;
const pieces: Pick<Pieces, 'list' | 'open'> = {
  list: async () => [tokenizer],
  open: async (sha256) =>
    sha256 === SHA ? { tokenizer, table: { pieceOf: (id) => (id < 300_000 ? { text: `<${id}>` } : null) } } : null,
};
const app = new Hono().route('/v1', pieceRoutes({ pieces })).onError((error) => errorResponse(error));

async function ask(body: unknown): Promise<{ status: number; body: unknown }> {
  const answer = await app.request('/v1/pieces', { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

it('each id is answered once, by the tokenizer that the record names', async () => {
  expect(await ask({ tokenizer_sha256: SHA, ids: [7, 300_000, 7, 0] })).toEqual({
    status: 200,
    body: { tokenizer, is_recorded: true, pieces: { 0: { text: '<0>' }, 7: { text: '<7>' }, 300000: null } },
  });
});

it('a tokenizer that is not known says nothing of an id, and nothing else is taken for it', async () => {
  expect(await ask({ tokenizer_sha256: 'cd'.repeat(32), ids: [7] })).toEqual({
    status: 200,
    body: { tokenizer: null, is_recorded: false, pieces: { 7: null } },
  });
  expect(await ask({ tokenizer_sha256: 'cd'.repeat(32), assumed_sha256: SHA, ids: [7] })).toMatchObject({
    status: 400,
    body: { error: { field: 'assumed_sha256' } },
  });
});

it('where the record names none a person may, and the answer says that it is assumed', async () => {
  const body = { tokenizer, is_recorded: false, pieces: { 7: { text: '<7>' } } };
  expect(await ask({ tokenizer_sha256: null, assumed_sha256: SHA, ids: [7] })).toEqual({ status: 200, body });
  expect(await ask({ assumed_sha256: SHA, ids: [7] })).toEqual({ status: 200, body });
  expect(await ask({ ids: [7] })).toMatchObject({ body: { tokenizer: null, pieces: { 7: null } } });
});

it('takes 300,000 ids and no more, each a whole number of 32 bits', async () => {
  const ids = Array.from({ length: 300_000 }, (_, id) => id);
  expect((await ask({ tokenizer_sha256: null, ids })).status).toBe(200);
  expect(await ask({ ids: [...ids, 1] })).toMatchObject({ status: 400, body: { error: { field: 'ids' } } });
  for (const wrong of [-1, 1.5, '7', null, 2 ** 32])
    expect(await ask({ ids: [1, wrong] }), String(wrong)).toMatchObject({
      status: 400,
      body: { error: { code: 'RS_USAGE', field: 'ids', message: expect.stringContaining('ids[1]') } },
    });
  expect(await ask({ tokenizer_sha256: SHA })).toMatchObject({ status: 400, body: { error: { field: 'ids' } } });
  expect(await ask({ ids: [], tokenizer: SHA })).toMatchObject({
    status: 400,
    body: { error: { field: 'tokenizer' } },
  });
  expect(await ask({ ids: [], assumed_sha256: 'x' })).toMatchObject({ status: 400 });
});
