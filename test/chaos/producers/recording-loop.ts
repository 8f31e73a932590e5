import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Recorder, type Rollout } from '../../../clients/typescript/recorder.ts';
import { createRandom } from '../../../examples/generate/random.ts';
import { type RecordedEvent, readTruth, writeTruth } from './truth.ts';

/**
 * A process that records rollouts of random tokens until its stdin ends: then it ends what is open. SIGTERM: it closes its recorder
 * and leaves them open. `recording_loop.py` does the same.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    run: { type: 'string', default: '' },
    spool: { type: 'string', default: '' },
    truth: { type: 'string', default: '' },
    /** Truth of its predecessor, whose open rollouts it may try again. */
    previous: { type: 'string', default: '' },
    name: { type: 'string', default: '' },
    seed: { type: 'string', default: '' },
    'pause-ms': { type: 'string', default: '10' },
  },
});

interface Open {
  readonly rollout: Rollout;
  readonly id: string;
  readonly attempt: number;
  readonly calls: number;
  history: number[];
  seq: number;
  done: number;
}

const AT_ONCE = 3;
const random = createRandom(values.seed);
const file = openSync(values.truth, 'a');
const recorder = new Recorder({ url: values.url, runId: values.run, envName: 'chaos', spoolDir: values.spool });
const retries = openBefore(values.previous).filter(() => random() < 0.5);
const open: Open[] = [];
let [begun, isFinishing, isStopped] = [0, false, false];
process.stdin.resume().on('end', () => {
  isFinishing = true;
});
process.on('SIGTERM', () => {
  isStopped = true;
});

function told(event: RecordedEvent, record: () => void): void {
  writeTruth(file, { t: 'before', ...event });
  record();
  const { rollout, attempt, key } = event;
  writeTruth(file, { t: 'after', rollout, attempt, key });
}

function begin(): void {
  const again = retries.pop();
  const id = again?.rollout ?? `${values.name}-${begun++}`;
  const attempt = again === undefined ? 0 : again.attempt + 1;
  // The same for each attempt.
  const isGrouped = createRandom(id)() < 0.5;
  const group = isGrouped ? { groupId: `of-${id}` } : {};
  let rollout: Rollout | null = null;
  const named = { rollout: id, attempt };
  told({ ...named, key: '0', kind: 'start' }, () => {
    rollout = recorder.start({ taskId: `task-${id}`, rolloutId: id, attempt, prompt: 'go', ...group });
  });
  if (rollout === null) return;
  open.push({ rollout, id, attempt, calls: between(1, 8), history: ids(between(1, 40)), seq: 1, done: 0 });
}

function step(one: Open): void {
  const { rollout, id, attempt } = one;
  const at = { rollout: id, attempt };
  if (one.done < one.calls) {
    // Now and then the loop rewrites its history: what it held is cut.
    if (one.done > 0 && random() < 0.1) one.history = one.history.slice(0, -between(1, one.history.length - 1));
    const prompt = [...one.history, ...ids(between(1, 30))];
    const completion = ids(between(1, 60));
    const logprobs = Float32Array.from(completion, () => -random() * 20);
    const hex = { prompt: hexOf(prompt), completion: hexOf(completion), logprobs: bytesOf(logprobs) };
    told({ ...at, key: `${one.seq++}`, kind: 'model_call', ...hex }, () => {
      rollout.modelCall({
        ...{ promptIds: prompt, completionIds: completion, completionLogprobs: logprobs },
        ...{ logprobsMode: 'raw', finishReason: 'stop' },
      });
    });
    one.history = [...prompt, ...completion];
    one.done += 1;
    return;
  }
  const text = `${random()}`;
  told({ ...at, key: `${one.seq++}`, kind: 'message', text }, () => rollout.message('user', text));
  const reward = random();
  told({ ...at, key: 'sums', kind: 'verdict', reward }, () => rollout.verdict('sums', { reward }));
  told({ ...at, key: `${one.seq++}`, kind: 'end' }, () => rollout.end('completed'));
  open.splice(open.indexOf(one), 1);
}

/** Both included. */
function between(least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function ids(count: number): number[] {
  return Array.from({ length: count }, () => between(0, 2 ** 32 - 1));
}

function hexOf(tokens: readonly number[]): string {
  return bytesOf(Uint32Array.from(tokens));
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

function openBefore(path: string): { rollout: string; attempt: number }[] {
  if (path === '') return [];
  const found = new Map<string, { rollout: string; attempt: number }>();
  for (const line of readTruth(path)) {
    if (line.t !== 'before') continue;
    const { rollout, attempt, kind } = line;
    if (kind === 'start') found.set(rollout, { rollout, attempt });
    if (kind === 'end') found.delete(rollout);
  }
  return [...found.values()];
}

while (!isStopped && !(isFinishing && open.length === 0)) {
  if (!isFinishing && open.length < AT_ONCE) begin();
  const one = open[between(0, open.length - 1)];
  if (one !== undefined) step(one);
  await sleep(isFinishing ? 0 : Number(values['pause-ms']));
}
if (isStopped) writeTruth(file, { t: 'stop' });
await recorder.close(isStopped ? 500 : 300_000);
const { lost, refused } = recorder.stats();
writeTruth(file, { t: 'closed', lost, refused });
process.exit(0);
