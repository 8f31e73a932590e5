import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Explanation } from '../../../src/access/explanation.ts';
import { openRecording } from '../../../src/proxy/open-recording.ts';
import type { Recording } from '../../../src/proxy/record/port.ts';
import { type RunningCli, startCli } from '../cli/test-io.ts';
import { NOBODY, writeCall } from './record/call-files.ts';
import { createDraw, type PlannedRollout, planRollout, type Sampled } from './record/random-rollouts.ts';

/** What is recorded, after a real server has taken it in. */

const SECOND = 1_000_000;
const BEGAN = 1_700_000_000_000_000;

let folder = '';
let port = 0;
let server: RunningCli | null = null;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-recording-'));
  port = await freePort();
});
afterAll(async () => {
  server?.interrupt();
  await server?.code;
  rmSync(folder, { recursive: true });
});

function freePort(): Promise<number> {
  const listening = createServer();
  return new Promise((resolve) => {
    listening.listen(0, '127.0.0.1', () => {
      const address = listening.address();
      listening.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function open(): Promise<Recording> {
  const to = { url: `http://127.0.0.1:${port}`, token: null };
  return openRecording({
    folder,
    server: to,
    run: 'r',
    env: 'sums',
    purpose: 'train',
    idleMs: 900_000,
    idleReason: null,
  });
}

interface Segment {
  readonly token_ids: number[];
  readonly sampled_mask: number[];
  readonly logprobs: number[];
  readonly spans: string[];
}

/** What a trainer has to be given of these calls: each version of the history is a segment, one after the other. */
function segmentsOf(calls: readonly Sampled[]): Segment[] {
  const segments: Segment[] = [];
  for (const { prompt, completion, logprobs, versions } of calls) {
    const last = segments.at(-1);
    let common = 0;
    while (last !== undefined && common < last.token_ids.length && last.token_ids[common] === prompt[common]) common++;
    const isNew = last === undefined || common < last.token_ids.length;
    const segment = isNew
      ? {
          token_ids: last?.token_ids.slice(0, common) ?? [],
          sampled_mask: last?.sampled_mask.slice(0, common) ?? [],
          logprobs: last?.logprobs.slice(0, common) ?? [],
          spans: last?.spans.slice(0, common) ?? [],
        }
      : last;
    const added = prompt.slice(common);
    segment.token_ids.push(...added, ...completion);
    segment.sampled_mask.push(...added.map(() => 0), ...completion.map(() => 1));
    segment.logprobs.push(...added.map(() => 0), ...logprobs);
    const versionAt = (i: number) => versions.findLast(({ start }) => start <= i)?.version ?? '';
    segment.spans.push(...added.map(() => ''), ...completion.map((_, i) => versionAt(i)));
    if (isNew) segments.push(segment);
  }
  return segments;
}

let files = 0;
function say(
  recording: Recording,
  rollouts: readonly PlannedRollout[],
  take: (plan: PlannedRollout) => PlannedRollout['files'],
) {
  for (const plan of rollouts) {
    for (const file of take(plan)) {
      const n = files++;
      const id = `c${String(n).padStart(6, '0')}`;
      recording.ended(writeCall(folder, { id, startedAtUs: BEGAN + n * SECOND, tookUs: SECOND / 2, ...file }));
    }
  }
}

it('what a server makes of it is what the engine sampled, bit for bit, though the server was away and the proxy began anew', async () => {
  const draw = createDraw(7);
  const rollouts = Array.from({ length: 9 }, (_, n) => planRollout(draw, `rollout ${n}`, n)).filter(
    ({ isNamed }) => isNamed,
  );
  const half = ({ files: all }: PlannedRollout): number => Math.floor(all.length / 2);
  const first = await open();
  say(first, rollouts, (plan) => plan.files.slice(0, half(plan)));
  await first.close(0);
  const second = await open();
  say(second, rollouts, (plan) => plan.files.slice(half(plan)));
  const reasons = [{ raw: 'task_complete', system: 'rollstream' }];
  for (const { rollout } of rollouts) {
    await second.endRollout({ ...NOBODY, rollout }, { reasons });
    await second.verdict({ ...NOBODY, rollout }, { scorer: 'sums', reward: 1, eventId: null });
  }
  expect(await second.status()).toMatchObject({ openRollouts: 0, waitingCalls: 0, lostEvents: 0, notAuditable: {} });
  while (!(await second.status()).lastProblem?.startsWith('fetch failed'));
  server = startCli(['up', '--port', String(port), '--data', join(folder, 'data')]);
  await server.said(/serving at (\S+)/);
  await second.close(60_000);
  expect(readdirSync(join(folder, 'calls'))).toEqual([]);
  const get = async (path: string) => JSON.parse(await (await fetch(`http://127.0.0.1:${port}${path}`)).text());
  while (!(await get('/v1/import/drained')).drained);
  for (const { rollout, calls } of rollouts) {
    const { rollouts: found }: Explanation = await get(`/v1/rollouts/${encodeURIComponent(rollout)}?run=r`);
    const attempts = found.flatMap((one) => one.attempts);
    expect(attempts.flatMap(({ step_faults }) => step_faults)).toEqual([]);
    const trajectory = attempts[0]?.trajectory;
    const told = trajectory?.segments.map(({ token_ids, sampled_mask, logprobs, weight_spans }) => ({
      ...{ token_ids, sampled_mask, logprobs },
      spans: token_ids.map((_, i) =>
        sampled_mask[i] === 1 ? weight_spans.findLast(({ start }) => start <= i)?.version : '',
      ),
    }));
    const expected = segmentsOf(calls).map((segment) => ({
      ...segment,
      logprobs: segment.logprobs.map((value) => value + 0),
    }));
    expect(told).toEqual(expected);
    const finish = trajectory?.turns.map(({ finish_reason: text }) => /"type":"(\w+)"/.exec(text ?? '')?.[1] ?? text);
    expect(finish).toEqual(calls.map((call) => call.finish));
    expect(attempts).toHaveLength(1);
  }
});

it('a producer.json that names nobody is said by its path, and no other producer takes its place', async () => {
  const damaged = mkdtempSync(join(folder, 'damaged-'));
  mkdirSync(join(damaged, 'recording'));
  const path = join(damaged, 'recording', 'producer.json');
  const options = { run: 'r', env: 'e', purpose: 'train', idleMs: 1_000, idleReason: null } as const;
  for (const text of ['', 'null', '{"producer_id":""}', '{"prod']) {
    writeFileSync(path, text);
    await expect(openRecording({ folder: damaged, server: null, ...options })).rejects.toMatchObject({
      code: 'RS_FILE_UNREADABLE',
      message: expect.stringContaining(path),
    });
  }
});
