import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../../cli/test-io.ts';

/** A trainer and a server, over HTTP alone. */
const SCRIPTS = 'läufe/100% 数学';

let folder = '';
let server: RunningCli;
let url = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-served-'));
  server = startCli(['up', '--port', '0', '--data', join(folder, 'data')]);
  url = (await server.said(/serving at (\S+)/))[1] ?? '';
  await produce({ order: 3, names: 1, late: 1, ranks: 3, back: 3, tokens: 2, packed: 1, math: 4, [SCRIPTS]: 2 });
});
afterAll(async () => {
  server.interrupt();
  await server.code;
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly answer: Record<string, unknown> & {
    readonly lease?: string;
    readonly entries?: ReadonlyArray<{
      readonly rollout_id: string;
      readonly offset: number;
      readonly deliveries: number;
    }>;
    readonly trajectories?: ReadonlyArray<{ readonly rollout_id: string }>;
    readonly micro_batches?: readonly (readonly number[])[];
    readonly error?: { readonly code: string; readonly field?: string; readonly reason?: string };
  };
}

async function post(path: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${url}/v1${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}
const ask = (run: string, index: number, more: object = {}): Promise<Answer> =>
  post('/leases', { run, consumer: 'trainer-0', batch_index: index, count: 1, wait_ms: 30_000, ...more });
const taken = ({ answer }: Answer): unknown[] => (answer.entries ?? []).map(({ rollout_id }) => rollout_id);
const id = ({ answer }: Answer): string => answer.lease ?? 'none';
async function delivery(run: string): Promise<Record<string, unknown>> {
  return JSON.parse(await (await fetch(`${url}/v1/runs/${encodeURIComponent(run)}/delivery`)).text());
}

/** Rollouts that are ready at once: of each run so many groups of two named a, b, …: a0, a1, b0, … */
async function produce(runs: Readonly<Record<string, number>>): Promise<void> {
  const lines = Object.entries(runs).flatMap(([run, groups]) =>
    [...'abcdefgh'.slice(0, groups)].flatMap((group) =>
      [0, 1]
        .flatMap((member) => eventsOf(run, group, `${group}${member}`))
        .map((event) => `${JSON.stringify(event)}\n`),
    ),
  );
  const file = join(folder, `${lines.length}.jsonl`);
  writeFileSync(file, lines.join(''));
  const data = join(folder, 'data');
  expect(await cli(['import', file, '--format', 'rollstream', '--data', data])).toMatchObject({ code: 0 });
}

function eventsOf(run_id: string, group_id: string, rollout_id: string): object[] {
  const group = { run_id, env_name: 'calc', task_id: group_id, group_id, group_size: 2 };
  const of = { ...group, rollout_id, attempt: 0, producer_id: 'loop', source: { format: 'rollstream', version: '1' } };
  const model_call = { call_id: 'c', prompt_delta_ids: [1], completion_ids: [2, 3] };
  return [
    { ...of, seq: 0, event_id: `${rollout_id}.0`, kind: 'start', start: { prompt: 'sum' } },
    { ...of, seq: 1, event_id: `${rollout_id}.1`, kind: 'model_call', model_call },
    {
      ...{ ...of, seq: 2, event_id: `${rollout_id}.2`, kind: 'end' },
      end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] },
    },
    {
      ...{ ...of, event_id: `${rollout_id}.v`, kind: 'verdict' },
      verdict: { scorer: 's', status: 'scored', rewards: { r: Number(rollout_id.at(-1)) } },
    },
  ];
}

describe('a trainer', () => {
  it('takes whole groups in ready order, each once, and the same batch when an answer was lost', async () => {
    const first = await ask('order', 0);
    expect(taken(first)).toEqual(['a0', 'a1']);
    expect(first.answer.trajectories?.map(({ rollout_id }) => rollout_id)).toEqual(['a0', 'a1']);
    expect(first.answer).toMatchObject({
      run: 'order',
      lineage: 0,
      batch_index: 0,
      try: 0,
      unit: 'group',
      shard: null,
    });
    expect(id(await ask('order', 0))).toBe(id(first));
    expect(await post(`/leases/${id(first)}/ack`, { step: 1, lineage: 0 })).toMatchObject({ status: 200 });
    expect(await post(`/leases/${id(first)}/ack`, { step: 1 })).toMatchObject({ status: 200 });
    expect(taken(await ask('order', 1, { count: 9 }))).toEqual(['b0', 'b1', 'c0', 'c1']);
    expect((await ask('order', 2, { wait_ms: 0 })).answer).toEqual({
      ...{ lease: null, again: true },
      ...{ lineage: null, batch_index: 2, try: 0 },
    });
    expect(await delivery('order')).toMatchObject({
      ready_states: { trained: 2, leased: 4 },
      last: { 'trainer-0': [2, 0] },
    });
  });

  it('waits for what is not ready yet', async () => {
    await post('/versions', { run: 'early', step: 0, version: 'w0' });
    const waiting = ask('early', 0);
    await produce({ early: 1 });
    expect(taken(await waiting)).toEqual(['a0', 'a1']);
    expect((await waiting).answer).toMatchObject({ version: 'w0' });
  });

  it('of a run that nobody has heard of is refused, and so are its checkpoints', async () => {
    const refused = { status: 404, answer: { error: { code: 'RS_NOT_FOUND', field: 'run' } } };
    expect(await ask('nobody', 0)).toMatchObject(refused);
    expect(await post('/runs/nobody/checkpoints', { step: 1, lineage: 0 })).toMatchObject(refused);
    expect((await fetch(`${url}/v1/runs/nobody/delivery`)).status).toBe(404);
  });

  it('gives back, rejects, and extends', async () => {
    const run = SCRIPTS;
    const first = await ask(run, 0);
    expect(await post(`/leases/${id(first)}/extend`, { lease_ms: 60_000 })).toMatchObject({ status: 200 });
    expect((await post(`/leases/${id(first)}/release`, {})).answer).toEqual({ lease: id(first), state: 'queued' });
    expect(await post(`/leases/${id(first)}/ack`, { step: 1 })).toMatchObject({
      status: 409,
      answer: { error: { code: 'RS_LEASE_LOST', reason: 'lease_lost' } },
    });
    const second = await ask(run, 1);
    expect([taken(second), second.answer.entries?.[0]?.deliveries]).toEqual([['a0', 'a1'], 2]);
    await post(`/leases/${id(second)}/reject`, { reason: 'too long' });
    expect(taken(await ask(run, 2))).toEqual(['b0', 'b1']);
    expect(await delivery(run)).toMatchObject({ ready_states: { trainer_rejected: 2, leased: 2 } });
  });

  it('may have any name, and an id that nobody was given is a lost lease', async () => {
    const batch = await ask('names', 0, { consumer: '__proto__', replica: 'constructor' });
    expect(taken(batch)).toEqual(['a0', 'a1']);
    expect(await delivery('names')).toMatchObject({ last: { constructor: [0, 0] } });
    for (const what of ['ack', 'release', 'extend'])
      expect(await post(`/leases/9.ffffffffffff.9/${what}`, what === 'ack' ? { step: 1 } : {})).toMatchObject({
        status: 409,
        answer: { error: { code: 'RS_LEASE_LOST' } },
      });
  });

  it('acks after its deadline, until another was granted the same', async () => {
    const slow = await ask('late', 0, { lease_ms: 100 });
    const next = await ask('late', 0, { consumer: 'trainer-1', lease_ms: 100 });
    expect([taken(next), id(next)]).toEqual([taken(slow), expect.not.stringMatching(id(slow))]);
    expect(await post(`/leases/${id(slow)}/ack`, { step: 1 })).toMatchObject({
      status: 409,
      answer: { error: { reason: 'lease_lost' } },
    });
    while (Date.parse(String(next.answer.deadline)) > Date.now()) await delivery('late');
    expect(await post(`/leases/${id(next)}/ack`, { step: 1 })).toMatchObject({ status: 200 });
  });
});

describe('ranks of a step', () => {
  it('get shards of one batch, equally many micro-batches, and one answer when it is not enough', async () => {
    const step = (rank: number, more: object = {}) =>
      post('/leases', { run: 'ranks', consumer: `rank-${rank}`, step: 7, dp_size: 2, rank, groups: 2, ...more });
    const shards = [await step(0), await step(1)];
    expect(new Set(shards.map(id)).size).toBe(1);
    expect(shards.flatMap(taken).sort()).toEqual(['a0', 'a1', 'b0', 'b1']);
    expect(shards.map(({ answer }) => answer.micro_batches?.length)).toEqual([1, 1]);
    expect(shards.map(({ answer }) => answer.shard)).toEqual([
      { rank: 0, dp_size: 2 },
      { rank: 1, dp_size: 2 },
    ]);
    expect(await step(0, { dp_size: 4 })).toMatchObject({
      status: 409,
      answer: { error: { reason: 'dp_size_changed' } },
    });
    expect(await step(0, { unit: 'rollout' })).toMatchObject({ answer: { error: { reason: 'unit_is_fixed' } } });
    expect(await step(0, { step: 8, dp_size: 4, groups: 1 })).toMatchObject({
      status: 409,
      answer: { error: { code: 'RS_DELIVERY_REFUSED', reason: 'too_few' } },
    });
    expect(await post(`/leases/${id(shards[1] ?? (await step(1)))}/ack`, { step: 7 })).toMatchObject({ status: 200 });
    for (const rank of [1, 0])
      expect((await step(rank, { step: 8 })).answer).toMatchObject({ lease: null, again: true, batch_index: 8 });
    expect(taken(await step(0, { step: 8, try: 1, groups: 1 }))).toHaveLength(1);
  });
});

describe('a trainer that goes back', () => {
  it('gets what came after its checkpoint again; the one that it replaced is refused', async () => {
    const train = async (index: number, step: number) => {
      const batch = await ask('back', index);
      expect(await post(`/leases/${id(batch)}/ack`, { step })).toMatchObject({ status: 200 });
    };
    await train(0, 1);
    expect((await post('/runs/back/checkpoints', { step: 1 })).answer).toMatchObject({ lineage: 0, sealed: true });
    await train(1, 2);
    const open = await ask('back', 2);

    expect(await post('/runs/back/rewind', { step: 2 })).toMatchObject({
      status: 409,
      answer: { error: { code: 'RS_DELIVERY_REFUSED', reason: 'never_sealed' } },
    });
    const back = { step: 1, lineage: 0, expect: 0, request: 'q' };
    expect(await post('/runs/back/rewind', back)).toEqual({ status: 200, answer: { run: 'back', lineage: 1 } });
    expect((await post('/runs/back/rewind', back)).answer).toEqual({ run: 'back', lineage: 1 });
    expect(await post('/runs/back/rewind', { ...back, request: 'another' })).toMatchObject({
      answer: { error: { reason: 'conflict' } },
    });
    const left = { status: 409, answer: { error: { code: 'RS_LINEAGE_DISCARDED' } } };
    expect(await post(`/leases/${id(open)}/ack`, { step: 3, lineage: 0 })).toMatchObject(left);
    expect(await ask('back', 3, { lineage: 0 })).toMatchObject(left);
    expect(await post('/versions', { run: 'back', lineage: 0, step: 3, version: 'w3' })).toMatchObject(left);
    expect(await post('/versions', { run: 'back', lineage: 1, step: 2, version: '1.2' })).toMatchObject({
      status: 200,
    });
    expect(taken(await ask('back', 0, { lineage: 1, count: 2 }))).toEqual(['b0', 'b1', 'c0', 'c1']);
    expect(await delivery('back')).toMatchObject({
      lineage: 1,
      checkpoints: expect.arrayContaining([{ lineage: 0, step: 1 }]),
    });
  });

  it('vouches for what it trained and never acked', async () => {
    const batch = await ask('tokens', 0);
    const tokens = { [id(batch)]: { step: 1, offsets: batch.answer.entries?.map(({ offset }) => offset) } };
    expect(await post('/runs/tokens/rewind', { step: 1, tokens })).toMatchObject({ answer: { lineage: 1 } });
    expect(taken(await ask('tokens', 0, { count: 9, lineage: 1 }))).toEqual(['b0', 'b1']);
    expect((await post('/runs/tokens/fork', { run: 'forked', step: 1, lineage: 0, request: 'f' })).answer).toEqual({
      run: 'forked',
      lineage: 0,
    });
    expect(taken(await ask('forked', 0, { count: 9 }))).toEqual(['b0', 'b1']);
    expect(await post('/runs/tokens/fork', { run: 'forked', step: 1, lineage: 0 })).toMatchObject({
      answer: { error: { reason: 'exists' } },
    });
  });
});

describe('a packed batch', () => {
  it('names schemas that are there', async () => {
    const headers = { accept: 'application/vnd.rollstream.batch' };
    const body = JSON.stringify({ run: 'packed', consumer: 'c', count: 1, wait_ms: 30_000 });
    const bytes = Buffer.from(await (await fetch(`${url}/v1/leases`, { method: 'POST', headers, body })).arrayBuffer());
    const head = JSON.parse(String(bytes.subarray(4, 4 + bytes.readUInt32LE(0))));
    expect(head).toMatchObject({ batch_index: 0, entries: [{ size: 2 }, { size: 2 }] });
    const record = 4 + bytes.readUInt32LE(0) + 4;
    expect(bytes[record]).toBe(0);
    const schema = await (await fetch(`${url}/v1/schemas/${bytes.readUInt32BE(record + 1)}`)).json();
    expect(schema).toMatchObject({ schema: { type: 'record', name: 'Trajectory' } });
  });
});

describe('docs/delivery.md', () => {
  it('has requests that work, one after another', async () => {
    const page = readFileSync(packageFile('docs', 'delivery.md'), 'utf8');
    const requests = [...page.matchAll(/^curl -X POST localhost:8080\/v1(\S+) -d '(.*)'$/gm)];
    expect(requests.length).toBe(5);
    let lease = '';
    for (const [, path = '', body = ''] of requests) {
      // The last one asks for more than there is.
      const sent: object = { ...JSON.parse(body), ...(path === '/leases' && { wait_ms: 100 }) };
      const { status, answer } = await post(path.replace(/1\.6f\w+\.7/, lease), sent);
      expect([path, status, answer.error]).toEqual([path, 200, undefined]);
      lease = answer.lease ?? lease;
    }
    expect(await delivery('math')).toMatchObject({ lineage: 1 });
  });
});
