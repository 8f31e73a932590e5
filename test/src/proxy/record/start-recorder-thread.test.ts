import { existsSync, mkdtempSync, rmSync } from 'node:fs';
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

it('a call that the thread dies of is set aside; the thread is started again, and goes on with the others', async () => {
  const options = {
    folder,
    server: null,
    run: 'r',
    env: 'e',
    purpose: 'train' as const,
    idleMs: 900_000,
    idleReason: null,
  };
  const before = call('c0', 'a');
  const module = new URL('./dying-recorder-thread.ts', import.meta.url);
  const thread = await startRecorderThread({ options, producerId: 'proxy-1', leftOver: [before] }, module);
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
