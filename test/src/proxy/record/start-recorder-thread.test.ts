import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startRecorderThread } from '../../../../src/proxy/record/start-recorder-thread.ts';
import { NOBODY, writeCall } from './call-files.ts';
import { eventsIn } from './recording-in-process.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-thread-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function call(id: string, rollout: string): string {
  const answer = { text: 'a', output_ids: [2], meta_info: { id, prompt_tokens: 1, completion_tokens: 1 } };
  return writeCall(folder, { id, named: { rollout }, request: { input_ids: [1] }, answer });
}

const optionsOf = () => ({
  ...{ folder, server: null, run: 'r', env: 'e', purpose: 'train' as const },
  ...{ idleMs: 900_000, idleReason: null },
});

it('a file that is used again is emptied where others are removed, and one that stays is given up', async () => {
  const thread = await startRecorderThread({ options: optionsOf(), producerId: 'proxy-1', leftOver: [] });
  const failed = writeCall(folder, {
    id: 'c2',
    named: { rollout: 'a' },
    request: { input_ids: [9] },
    status: 500,
    answer: 'no',
  });
  const told: [string, boolean][] = [];
  const [reused, removed] = [call('c0', 'a'), call('c1', 'a')];
  thread.ended(reused, (isEmpty) => told.push(['reused', isEmpty]));
  thread.ended(removed);
  thread.ended(failed, (isEmpty) => told.push(['failed', isEmpty]));
  const end = { reasons: [{ raw: 'done', system: 'rollstream' }] };
  await thread.ask({ kind: 'verdict', named: { ...NOBODY, rollout: 'a' }, verdict: VERDICT });
  expect(told).toEqual([
    ['reused', true],
    ['failed', false],
  ]);
  expect(statSync(reused).size).toBe(0);
  expect([removed, failed].map((path) => existsSync(path))).toEqual([false, true]);
  // It waited to be made again. Now that it is not, nobody has it open.
  await thread.ask({ kind: 'end', named: { ...NOBODY, rollout: 'a' }, end, isRepeated: false });
  expect(existsSync(failed)).toBe(false);
  await thread.close(0);
});

const VERDICT = { scorer: 'sums', reward: 1, eventId: null };

it('a call that the thread dies of is set aside; the thread is started again, and goes on with the others', async () => {
  const before = call('c0', 'a');
  const module = new URL('./dying-recorder-thread.ts', import.meta.url);
  const thread = await startRecorderThread({ options: optionsOf(), producerId: 'proxy-1', leftOver: [before] }, module);
  const deadly = call('c1-deadly', 'a');
  const after = call('c2', 'b');
  thread.ended(deadly);
  thread.ended(after);
  const end = { reasons: [{ raw: 'done', system: 'rollstream' }] };
  const ends = ['a', 'b'].map((rollout) =>
    thread.ask({ kind: 'end', named: { ...NOBODY, rollout }, end, isRepeated: false }),
  );
  await Promise.all(ends);
  const status = await thread.status();
  expect(status).toMatchObject({ openRollouts: 0, waitingCalls: 0, lostEvents: 1, spooledEvents: 6 });
  expect(status.lastProblem).toContain(`${deadly} is set aside`);
  await thread.close(0);
  expect([before, deadly, `${deadly}.unread`, after].map((path) => existsSync(path))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  const seqs = (rollout: string) =>
    eventsIn(folder).flatMap(({ rollout_id, seq }) => (rollout_id === rollout ? [seq] : []));
  // Its place stays empty: nobody takes the rest for the whole.
  expect(['a', 'b'].map(seqs)).toEqual([
    [0, 1, 3],
    [0, 1, 2],
  ]);
});
