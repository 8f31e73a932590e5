import { statSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { inOrderOfEnd } from './left-over-calls.ts';
import type { LeftOfFile, RecorderAnswer, RecorderRequest, RecorderStart } from './recorder-messages.ts';
import { openRecorderQueue } from './recorder-queue.ts';

const BESIDE = 10;

/** The thread of a recording: told of ended calls, asked of attempts, one thing after the other. */
const start: RecorderStart = workerData;
const answer = (said: RecorderAnswer): void => parentPort?.postMessage(said);

// Where cores are short, clients go first. On Linux it is the thread's own; elsewhere it would be that of the process.
if (process.platform === 'linux' && getPriority() < BESIDE) setPriority(BESIDE);

const queue = openRecorderQueue(start, {
  taking: (path) => answer({ kind: 'taking', path }),
  taken: (path) => answer({ kind: 'taken', path, left: leftOf(path) }),
  say: (level, message) => answer({ kind: 'said', level, message }),
  done: (id, status) => answer({ kind: 'done', id, status }),
  failed: (id, code, message) => answer({ kind: 'failed', id, code, message }),
});
for (const path of inOrderOfEnd(start.leftOver)) queue.ended(path, false);
parentPort?.on('message', (request: RecorderRequest) => {
  if (request.kind === 'ended') queue.ended(request.path, request.isReused);
  else if (request.kind === 'unread') queue.unread(request.path);
  else queue.ask(request.id, request);
});
answer({ kind: 'ready' });

function leftOf(path: string): LeftOfFile {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size === undefined ? 'nothing' : size === 0 ? 'empty' : 'all';
}
