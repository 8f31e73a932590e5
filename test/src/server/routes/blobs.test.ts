import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, type RunningCli, startCli } from '../../cli/test-io.ts';

const TOKEN = 'a-token-of-some-length';
const env = { ROLLSTREAM_HTTP_TOKEN: TOKEN };
/** Of each of two calls; with masks and logprobs 10 bytes a token, so that both together are above 8 MB. */
const TOKENS = 401_000;
const NEVER_WRITTEN = '0'.repeat(64);

/** Ids of a vocabulary of 151,936, not in any order. */
const idsOf = (call: number) => Array.from({ length: TOKENS }, (_, i) => (i * 7919 + call) % 151_936);
const sha256 = (bytes: NodeJS.ArrayBufferView) => createHash('sha256').update(bytes).digest('hex');

function linesOf(): string {
  const of = { rollout_id: 'large', env_name: 'env' };
  const call = (turn: number) => ({
    ...{ call_id: `c${turn}`, prompt_prefix_len: turn === 0 ? 0 : TOKENS + 1, prompt_delta_ids: [5] },
    ...{ completion_ids: idsOf(turn), completion_logprobs: idsOf(turn).map((id) => -(1 + (id % 8)) / 8) },
  });
  return [
    { ...of, kind: 'start', seq: 0, start: {} },
    { ...of, kind: 'model_call', seq: 1, model_call: call(0) },
    { ...of, kind: 'model_call', seq: 2, model_call: call(1) },
    { ...of, kind: 'end', seq: 3, end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] } },
    { ...of, kind: 'verdict', verdict: { scorer: 's', status: 'scored', rewards: { r: 1 } } },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

let folder = '';
let data: readonly string[] = [];
let server: RunningCli;
let url = '';
/** The blob that the large trajectory went to. */
let blob = '';
let blobPath = '';
/** As of the command that opens the folder by itself. */
let printed = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-blob-routes-'));
  data = ['--data', join(folder, 'data')];
  await writeFile(join(folder, 'steps.jsonl'), linesOf());
  const imported = await cli(['import', join(folder, 'steps.jsonl'), '--run', 'r', ...data]);
  expect(imported.code, imported.stderr).toBe(0);
  printed = (await cli(['ready', '--json', ...data])).stdout;
  const blobs = join(folder, 'data', 'blobs');
  const [found = ''] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  blob = found.slice(-64);
  blobPath = join(blobs, found);
  server = startCli(['up', '--port', '0', ...data], { env });
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
  return fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
}

const put = (name: string, bytes: Uint8Array, query = '') =>
  ask(`/v1/blobs/${name}${query}`, { method: 'PUT', body: new Uint8Array(bytes) });

describe('a trajectory above 8 MB', () => {
  it('is read as if it had never been too large: token by token what its producer sent', async () => {
    const [trajectory, ...others] = printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    expect(trajectory).toMatchObject({ rollout_id: 'large', segments_ref: null, segment_count: 1 });
    const sent = [5, ...idsOf(0), 5, ...idsOf(1)];
    const [segment] = trajectory.segments;
    expect(sha256(Uint32Array.from(segment.token_ids))).toBe(sha256(Uint32Array.from(sent)));
    const logprobs = [0, ...idsOf(0).map((id) => -(1 + (id % 8)) / 8), 0, ...idsOf(1).map((id) => -(1 + (id % 8)) / 8)];
    expect(sha256(Float32Array.from(segment.logprobs))).toBe(sha256(Float32Array.from(logprobs)));
    expect(segment.sampled_mask.reduce((sum: number, bit: number) => sum + bit, 0)).toBe(2 * TOKENS);
  });

  it('comes the same from the server, and its blob by its name', async () => {
    expect(sha256(Buffer.from(await (await ask('/v1/ready')).arrayBuffer()))).toBe(sha256(Buffer.from(printed)));
    const response = await ask(`/v1/blobs/${blob}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(sha256(bytes)).toBe(blob);
  });

  it('is refused by name where its blob is missing or damaged, and is there again with it', async () => {
    await rename(blobPath, `${blobPath}.away`);
    const missing = await (await ask('/v1/ready')).json();
    expect(missing).toMatchObject({ error: { code: 'RS_BLOB_DAMAGED', record: 0 } });
    expect(JSON.stringify(missing)).toContain(blob);
    expect((await ask(`/v1/blobs/${blob}`)).status).toBe(404);
    await rename(`${blobPath}.away`, blobPath);
    expect((await ask('/v1/ready')).status).toBe(200);

    await appendFile(blobPath, 'x');
    expect(await (await ask('/v1/ready')).json()).toMatchObject({ error: { code: 'RS_BLOB_DAMAGED', record: 0 } });
    const damaged = await ask(`/v1/blobs/${blob}`);
    expect(damaged.status).toBe(500);
    expect(await damaged.json()).toMatchObject({ error: { code: 'RS_BLOB_DAMAGED' } });
  });
});

describe('bytes of producers', () => {
  const bytes = Uint8Array.from({ length: 9 * 2 * 4 }, (_, i) => i);
  const name = sha256(bytes);

  it('are kept by their SHA-256, the same twice, and read back', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await (await put(name, bytes, '?shape=9,2,4&dtype=uint8')).json()).toEqual({
        ...{ uri: `blob:${name}`, sha256: name, length: 72 },
      });
    expect(new Uint8Array(await (await ask(`/v1/blobs/${name}`)).arrayBuffer())).toEqual(bytes);
  });

  it.each([
    ['another name', NEVER_WRITTEN, '', 'sha256'],
    ['another shape', name, '?shape=9,2,5&dtype=uint8', 'shape'],
    ['a wider type', name, '?shape=9,2,4&dtype=int32', 'shape'],
    ['a type that nobody knows', name, '?shape=9,2,4&dtype=uint5', 'dtype'],
    ['a shape without a type', name, '?shape=9,2,4', 'dtype'],
    ['a type without a shape', name, '?dtype=uint8', 'shape'],
    ['a shape that is none', name, '?shape=9,-2&dtype=uint8', 'shape'],
  ])('of %s are refused, and the field is named', async (_, asked, query, field) => {
    const response = await put(asked, bytes, query);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'RS_USAGE', field } });
  });
});

describe('a name', () => {
  it.each(['..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}%00`])(
    'that is no SHA-256 reaches no file: %s',
    async (text) => {
      expect((await ask(`/v1/blobs/${text}`)).status).toBe(400);
      expect((await ask(`/v1/blobs/${text}`, { method: 'PUT', body: 'x' })).status).toBe(400);
    },
  );

  it('that nothing has is not found', async () => {
    const response = await ask(`/v1/blobs/${NEVER_WRITTEN}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'RS_NOT_FOUND', field: 'sha256' } });
  });

  it('is told to nobody without the token', async () => {
    expect((await fetch(`${url}/v1/blobs/${blob}`)).status).toBe(401);
    expect((await fetch(`${url}/v1/blobs/${blob}`, { method: 'PUT', body: 'x' })).status).toBe(401);
  });
});
