import { Dispatcher } from '../../processors/delivery/dispatcher.ts';
import type { LeaseRequest, ReadyEntry } from '../../processors/model/delivery.ts';
import type { LoggedRecord, Task } from '../../processors/model/delivery-effects.ts';

/** Queues so many entries, prints what each holds and how long leases take. What is written lands; only claims are kept. */
const [count = 0, members = 1, leases = 0] = process.argv.slice(2).map(Number);
const BATCH = 1_000;
const UNITS = 8;

const log: LoggedRecord[] = [];
const dispatcher = new Dispatcher(
  {
    ...{ name: 'bench', url: 'http://127.0.0.1:1', maxDeliveries: 5, keptCheckpoints: 10 },
    ...{ unsealedTrajectories: 1_000_000, chunkEntries: 1_000 },
  },
  { nowMs: Date.now, isHeld: () => true, sessionMs: 0, assignedAtMs: 0, announced: () => new Map() },
);
run(dispatcher.takeOver());
const before = heapUsed();
const began = performance.now();
for (let from = 0; from < count; from += BATCH) {
  const entries = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => entryAt(from + n));
  dispatcher.arrived(entries, from + entries.length);
  run(dispatcher.index());
}
const indexedMs = performance.now() - began;
const heapBytes = heapUsed() - before;
const tookMs: number[] = [];
for (let index = 0; index < leases; index++) {
  const start = performance.now();
  const answer = run(dispatcher.lease(request(index), false));
  tookMs.push(performance.now() - start);
  if (answer.kind !== 'leased') throw new Error(answer.kind);
  const said = { reason: '', version: null, match: null };
  run(dispatcher.end('r', { lineage: 0, lease: answer.grant.lease, state: 'trained', step: index + 1, ...said }));
}
tookMs.sort((a, b) => a - b);
const at = (share: number) => tookMs[Math.floor(share * (tookMs.length - 1))] ?? 0;
process.stdout.write(JSON.stringify({ bytesEach: heapBytes / count, indexedMs, p50Ms: at(0.5), p99Ms: at(0.99) }));

function run<T>(task: Task<T>): T {
  let step = task.next({});
  while (step.done !== true) {
    const effect = step.value;
    if (effect.kind === 'write' && effect.record.kind === 'claim') log.push(effect);
    step = task.next({ landed: true, log, unreadable: new Map() });
  }
  return step.value;
}

/** Strings of their own, as they come out of a record. */
function entryAt(offset: number): ReadyEntry {
  const unit = textOf(`r/0/g/group-${Math.floor(offset / members)}`);
  const rollout = textOf(`group-${Math.floor(offset / members)}-${offset % members}`);
  const facts = {
    run: textOf('r'),
    attempt: 0,
    tokens: 4_160,
    versions: [textOf('step-120')],
    readyAtMs: 1_772_442_000_000,
  };
  return { offset, group: unit, unit, rollout, size: members, ...facts };
}

function textOf(text: string): string {
  return Buffer.from(text).toString();
}

function request(index: number): LeaseRequest {
  return {
    ...{
      run: 'r',
      lineage: 0,
      consumer: 't',
      key: ['t', index, 0],
      unit: 'group',
      dp: 0,
      rank: 0,
      most: UNITS,
      least: 1,
    },
    ...{ tokens: null, microTokens: null, leaseMs: 300_000, waitedMs: 0 },
    rule: { maxLag: null, expiresUnknown: false, atTake: 'member' },
  };
}

function heapUsed(): number {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
