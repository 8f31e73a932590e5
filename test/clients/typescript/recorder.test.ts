import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Recorder, type RecorderOptions } from '../../../clients/typescript/recorder.ts';
import { startTypescript } from '../../start-typescript.ts';
import { type CollectingServer, startCollectingServer } from './collecting-server.ts';

let spoolDir = '';
let server: CollectingServer;
const recorders: Recorder[] = [];
/** What a server answers that has durably taken the first record of a body, and no more. */
const QUOTA = { error: { code: 'RS_RUN_QUOTA', message: '', run: 'r' }, accepted: 1, refused_count: 0, refused: [] };

beforeEach(async () => {
  spoolDir = mkdtempSync(join(tmpdir(), 'rollstream-recorder-'));
  server = await startCollectingServer();
});
afterEach(async () => {
  for (const recorder of recorders.splice(0)) await recorder.close(0);
  await server.close();
  rmSync(spoolDir, { recursive: true });
});

function record(options: Partial<RecorderOptions> = {}): Recorder {
  const recorder = new Recorder({ url: server.url, runId: 'r', spoolDir, ...options });
  recorders.push(recorder);
  return recorder;
}

/** seq of what arrived, attempt by attempt in order of arrival. */
function sequences(): (number | null | undefined)[][] {
  const events = server.events();
  return [...new Set(events.map(({ rollout_id }) => rollout_id))].map((id) =>
    events.filter(({ rollout_id }) => rollout_id === id).map(({ seq }) => seq),
  );
}

function endedProducers(): string[] {
  const ended = server.requests.filter(({ path }) => path === '/v1/producers/ended');
  return ended.map(({ text }): string => JSON.parse(text).producer_id);
}

describe('a process that is killed with -9', () => {
  it('has lost nothing that it recorded: the next one sends it, and says that its producer ended', async () => {
    const dead = await killed(['--calls', '300', '--open']);
    expect(dead.recorded).toBe(301);
    const next = record();
    next.start({ taskId: 't', rolloutId: 'own' }).end('task_complete');
    expect(await next.flush()).toBe(true);
    expect(sequences()).toEqual([Array.from({ length: 301 }, (_, i) => i), [0, 1]]);
    // What it left open closes before anything new opens.
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/steps', '/v1/producers/ended', '/v1/steps']);
    expect(endedProducers()).toEqual([server.events()[0]?.producer_id]);
    expect(next.stats()).toMatchObject({ recovered: 301, recorded: 2, sent: 2, spooled: 0, lost: 0 });
    await next.close();
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('in the middle of a line leaves no part of it behind', async () => {
    await killed(['--calls', '2']);
    const [folder = ''] = readdirSync(spoolDir);
    const [segment = ''] = readdirSync(join(spoolDir, folder)).filter((name) => name.endsWith('.ndjson'));
    appendFileSync(join(spoolDir, folder, segment), '{"run_id":"r","rollout_id":"to');
    expect(await record().flush()).toBe(true);
    expect(sequences()).toEqual([[0, 1, 2, 3]]);
  });

  it('is sent by one of those that start next, and not while it lives', async () => {
    const alive = record({ url: server.url });
    server.refuse(() => ({ status: 503 }));
    alive.start({ taskId: 't', rolloutId: 'of-the-living' });
    await killed(['--calls', '1']);
    server.refuse(() => null);
    const next = [record(), record(), record()];
    for (const recorder of next) expect(await recorder.flush()).toBe(true);
    expect(next.map((recorder) => recorder.stats().recovered).sort()).toEqual([0, 0, 3]);
    expect(endedProducers()).toHaveLength(1);
  });

  it('under a name of its own is sent by nobody but its like: another might end what goes on under it', async () => {
    await killed(['--producer', 'loop-1', '--calls', '1']);
    expect(await record().flush()).toBe(true);
    expect(await record({ producerId: 'loop-2' }).flush()).toBe(true);
    expect(server.requests).toEqual([]);
    expect(await record({ producerId: 'loop-1' }).flush()).toBe(true);
    expect(endedProducers()).toEqual(['loop-1']);
  });

  it('whose spool vanishes while it is sent holds nobody up', async () => {
    await killed(['--calls', '1']);
    server.refuse(() => ({ status: 503, headers: { 'retry-after': '0' } }));
    const recorder = record();
    recorder.start({ taskId: 't', rolloutId: 'own' }).end('task_complete');
    while (recorder.stats().retries === 0) await recorder.flush(20);
    const [taken = ''] = readdirSync(spoolDir).filter((name) => name.includes('.by-'));
    rmSync(join(spoolDir, taken), { recursive: true });
    server.refuse(() => null);
    expect(await recorder.flush()).toBe(true);
    expect(sequences().at(-1)).toEqual([0, 1]);
    expect(recorder.stats().lastProblem).toContain('ENOENT');
  });

  it('on its way to another server is left to it', async () => {
    const dead = await killed(['--calls', '1'], 'http://127.0.0.1:9');
    expect(await record().flush()).toBe(true);
    expect(server.requests).toEqual([]);
    expect(readdirSync(spoolDir)).toContain(dead.folder);
  });
});

describe('a process that comes to its end without close()', () => {
  it('waits until what it recorded was answered', async () => {
    const child = start(['--calls', '5']);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(sequences()).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
    expect(readdirSync(spoolDir)).toEqual([]);
  });
});

describe('a server', () => {
  it.each([
    ['that is full', { status: 429, headers: { 'retry-after': '0' } }],
    [
      'that took a part of it, up to the quota of its run',
      { status: 429, headers: { 'retry-after': '0' }, body: QUOTA },
    ],
    ['whose token is of another run', { status: 403, body: { error: { code: 'RS_FORBIDDEN', message: '' } } }],
    ['whose log cannot be reached', { status: 503, headers: { 'retry-after': '0' } }],
    ['that refuses the token', { status: 401 }],
    ['behind a portal that answers for it', { status: 200, body: { portal: 'please log in' } }],
  ])('%s is asked again, and nothing is lost or comes twice', async (_, refusal) => {
    let times = 3;
    server.refuse(({ path }) => (path === '/v1/steps' && times-- > 0 ? refusal : null));
    const recorder = record();
    const rollout = recorder.start({ taskId: 't' });
    while (times > 0) {
      rollout.message('user', 'more');
      await recorder.flush(20);
    }
    rollout.end('task_complete');
    expect(await recorder.flush()).toBe(true);
    const { recorded } = recorder.stats();
    expect(sequences()).toEqual([Array.from({ length: recorded }, (_unused, i) => i)]);
    expect(recorder.stats()).toMatchObject({ sent: recorded, refused: 0, spooled: 0, lost: 0 });
    expect(recorder.stats().retries).toBeGreaterThanOrEqual(3);
  });

  it('that is not there yet gets everything once it is', async () => {
    const port = await freePort();
    const recorder = record({ url: `http://127.0.0.1:${port}` });
    await recorder.rollout({ taskId: 't' }, (rollout) => rollout.message('user', 'hello'));
    expect(await recorder.flush(50)).toBe(false);
    expect(recorder.stats()).toMatchObject({ recorded: 3, sent: 0, spooled: 3 });
    const late = await startCollectingServer(port);
    expect(await recorder.flush()).toBe(true);
    expect(late.events()).toHaveLength(3);
    await recorder.close();
    await late.close();
  });

  it('that never comes keeps no loop from closing: what it recorded is sent by the next', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const recorder = record({ url });
    recorder.start({ taskId: 't' }).end('task_complete');
    expect(await recorder.close(20)).toBe(false);
    const late = await startCollectingServer(port);
    const next = record({ url });
    expect(await next.flush()).toBe(true);
    expect(late.events().map(({ kind }) => kind)).toEqual(['start', 'end']);
    // Of what has ended nobody says that its producer did: a verdict of somebody else may be on its way.
    expect(late.requests.map(({ path }) => path)).toEqual(['/v1/steps']);
    await next.close();
    await late.close();
  });

  it('that refuses events is believed: they are counted, and the first is told', async () => {
    const refused = [{ index: 1, field: 'seq', expected: 'a number', got: 'null', message: 'no' }];
    server.refuse(() => ({ status: 200, body: { accepted: 1, refused, refused_count: 1 } }));
    const recorder = record();
    recorder.start({ taskId: 't' }).end('task_complete');
    expect(await recorder.flush()).toBe(true);
    expect(recorder.stats()).toMatchObject({ recorded: 2, sent: 1, refused: 1, spooled: 0 });
    expect(JSON.parse(recorder.stats().lastProblem ?? '')).toEqual(refused[0]);
  });

  it('to which a request is too large gets smaller ones; an event that is too large alone is kept aside', async () => {
    server.refuse(({ text }) => (text.length > 6_000 ? { status: 413 } : null));
    const recorder = record();
    const rollout = recorder.start({ taskId: 't' });
    for (let i = 0; i < 20; i++) rollout.message('user', 'x'.repeat(i === 7 ? 9_000 : 1_000));
    expect(await recorder.flush()).toBe(true);
    expect(server.events().map(({ seq }) => seq)).toEqual([...Array(21).keys()].filter((seq) => seq !== 8));
    expect(recorder.stats()).toMatchObject({ recorded: 21, sent: 20, refused: 1, spooled: 0 });
    const [aside = ''] = readdirSync(spoolDir).filter((name) => name.startsWith('refused-'));
    expect(JSON.parse(readFileSync(join(spoolDir, aside), 'utf8'))).toMatchObject({ seq: 8 });
  });

  it('is told the token, and may be sent gzip', async () => {
    const recorder = record({ token: 'a-token', gzip: true });
    recorder.start({ taskId: 't' });
    expect(await recorder.flush()).toBe(true);
    expect(server.requests[0]?.headers).toMatchObject({
      ...{ authorization: 'Bearer a-token', 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' },
    });
    expect(sequences()).toEqual([[0]]);
  });
});

describe('the spool', () => {
  it('has an end: what does not fit is lost and counted, and its place in the attempt stays empty', async () => {
    server.refuse(() => ({ status: 503 }));
    const recorder = record({ spoolMaxBytes: 4_000 });
    const rollout = recorder.start({ taskId: 't' });
    rollout.message('user', 'x'.repeat(4_000));
    rollout.message('user', 'short');
    expect(recorder.stats()).toMatchObject({ recorded: 2, lost: 1, lastProblem: 'the spool is full' });
    server.refuse(() => null);
    expect(await recorder.flush()).toBe(true);
    expect(sequences()).toEqual([[0, 2]]);
    // What was answered has left it.
    expect(recorder.stats().spooledBytes).toBe(0);
    rollout.message('user', 'x'.repeat(2_000));
    expect(await recorder.flush()).toBe(true);
    expect(sequences()).toEqual([[0, 2, 3]]);
  });

  it('that cannot be written is told at once', () => {
    const file = join(spoolDir, 'a-file');
    writeFileSync(file, '');
    expect(() => record({ spoolDir: file })).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('close()', () => {
  it('says that nothing more comes, where a rollout is still open', async () => {
    const recorder = record();
    recorder.start({ taskId: 't' });
    expect(await recorder.close()).toBe(true);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/steps', '/v1/producers/ended']);
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('is the end: what is recorded after it is lost, counted, and no error', async () => {
    const recorder = record();
    const rollout = recorder.start({ taskId: 't' });
    rollout.end('task_complete');
    expect(await recorder.close()).toBe(true);
    rollout.verdict('sums', { reward: 1 });
    expect(recorder.stats()).toMatchObject({ recorded: 2, lost: 1 });
    expect(endedProducers()).toEqual([]);
  });
});

function start(args: readonly string[], url = server.url): ChildProcessWithoutNullStreams {
  const child = startTypescript('./recording-process.ts', import.meta.url, [
    '--url',
    url,
    '--spool',
    spoolDir,
    ...args,
  ]);
  child.stderr.pipe(process.stderr);
  return child;
}

/** A process that recorded so much, and was killed before it had sent any of it. */
async function killed(args: readonly string[], url = server.url): Promise<{ recorded: number; folder: string }> {
  const before = readdirSync(spoolDir);
  const child = start([...args, '--stay'], url);
  const said = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
  const folder = readdirSync(spoolDir).find((name) => !before.includes(name)) ?? '';
  return { recorded: Number(said.value), folder };
}

async function freePort(): Promise<number> {
  const held = createServer();
  await once(held.listen(0, '127.0.0.1'), 'listening');
  const address = held.address();
  await new Promise((resolve) => held.close(resolve));
  return address === null || typeof address === 'string' ? 0 : address.port;
}
