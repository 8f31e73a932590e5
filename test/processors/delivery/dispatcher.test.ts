import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../../processors/delivery/dispatcher.ts';
import { Fenced } from '../../../processors/delivery/fenced.ts';
import type { LeaseAnswer, LeaseRecord, LeaseRequest, ReadyEntry } from '../../../processors/model/delivery.ts';
import type { Announced, LoggedRecord, Task } from '../../../processors/model/delivery-effects.ts';

const SETTINGS = {
  url: 'http://owner',
  maxDeliveries: 3,
  keptCheckpoints: 2,
  unsealedTrajectories: 1_000,
  chunkEntries: 4,
};

/** A topic, a clock and weights; what is written lands. */
function createBench(settings: Partial<typeof SETTINGS> = {}) {
  const bench = {
    nowMs: 1_000,
    isHeld: true,
    log: [] as LoggedRecord[],
    ready: [] as ReadyEntry[],
    versions: new Map<string, Announced>(),
    unreadable: new Map<number, string>(),
    started: 0,
    do<T>(task: Task<T>): T {
      let step = task.next({});
      while (step.done !== true) {
        const effect = step.value;
        if (effect.kind === 'write') bench.log.push({ key: effect.key, record: effect.record });
        if (effect.kind === 'drop') bench.log = bench.log.filter(({ key }) => !effect.keys.includes(key));
        if (effect.kind === 'wait') bench.nowMs = effect.untilMs;
        const asked = effect.kind === 'unreadable' ? effect.entries : [];
        const unreadable = new Map([...bench.unreadable].filter(([at]) => asked.some(({ offset }) => offset === at)));
        step = task.next({ landed: true, log: bench.log, unreadable });
      }
      return step.value;
    },
    /** Another process takes over, and reads ready to its end. */
    start(): Dispatcher {
      bench.started += 1;
      const world = {
        nowMs: () => bench.nowMs,
        isHeld: () => bench.isHeld,
        sessionMs: 100,
        assignedAtMs: bench.nowMs,
        announced: () => bench.versions,
      };
      const d = new Dispatcher({ ...SETTINGS, ...settings, name: `d${bench.started}` }, world);
      bench.do(d.takeOver());
      d.arrived(bench.ready.slice(d.readFrom), bench.ready.length);
      bench.do(d.index());
      return d;
    },
    /** One entry after the other, each alone. */
    arrive(d: Dispatcher, count: number, of: Partial<ReadyEntry> = {}): void {
      const from = bench.ready.length;
      for (let offset = from; offset < from + count; offset++) bench.ready.push(entryAt(offset, of));
      d.arrived(bench.ready.slice(from), bench.ready.length);
      bench.do(d.index());
    },
    kinds: (run = 'r') =>
      bench.log.flatMap(({ record }) => ('run' in record && record.run === run ? [record.kind] : [])),
  };
  return bench;
}

function entryAt(offset: number, of: Partial<ReadyEntry> = {}): ReadyEntry {
  const name = `r${offset}`;
  const names = { run: 'r', group: name, unit: name, rollout: name };
  return { offset, size: 1, attempt: 0, tokens: 10, versions: [], readyAtMs: 0, ...names, ...of };
}

const lease = (of: Partial<LeaseRequest> = {}): LeaseRequest => ({
  run: 'r',
  lineage: 0,
  consumer: 't',
  key: ['t', 0, 0],
  unit: 'group',
  dp: 0,
  rank: 0,
  most: 2,
  least: 1,
  tokens: null,
  microTokens: null,
  leaseMs: 500,
  rule: { maxLag: null, expiresUnknown: false, atTake: 'member' },
  waitedMs: 0,
  ...of,
});

const ack = (leaseId: string, step: number) => {
  const said = { reason: '', version: null, match: null };
  return { lineage: 0, lease: leaseId, state: 'trained' as const, step, ...said };
};

const offsetsOf = (answer: LeaseAnswer): readonly number[] | string =>
  answer.kind === 'leased' ? [...answer.grant.facts.keys()] : answer.kind;
const leaseOf = (answer: LeaseAnswer): string => (answer.kind === 'leased' ? answer.grant.lease : answer.kind);

describe('a lease', () => {
  it('has between least and most units', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 3);
    expect(offsetsOf(bench.do(d.lease(lease({ least: 2, most: 2 }), false)))).toEqual([0, 1]);
    expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', 1, 0], least: 2 }), false)))).toBe('again');
    expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', 1, 1], least: 1 }), false)))).toEqual([2]);
  });

  it('of one that may wait writes nothing while there is not enough', () => {
    const bench = createBench();
    const d = bench.start();
    expect(offsetsOf(bench.do(d.lease(lease(), true)))).toBe('pending');
    expect(bench.kinds()).toEqual([]);
    bench.arrive(d, 1);
    expect(offsetsOf(bench.do(d.lease(lease(), true)))).toEqual([0]);
  });

  it('of a step takes units until their tokens are enough, and for each rank one entry', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 6);
    const step = lease({ key: ['step', 0, 0], dp: 2, tokens: 25 });
    expect(offsetsOf(bench.do(d.lease(step, false)))).toEqual([0, 1, 2]);
    expect(offsetsOf(bench.do(d.lease({ ...step, key: ['step', 1, 0], tokens: 1 }, false)))).toEqual([3, 4]);
    expect(offsetsOf(bench.do(d.lease({ ...step, key: ['step', 2, 0], tokens: 11 }, false)))).toBe('again');
  });

  it('ends at 2^25 tokens, also below least; one unit it has whatever its size', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2, { tokens: 2 ** 24 });
    bench.arrive(d, 2, { tokens: 2 ** 26 });
    const take = (index: number, of: Partial<LeaseRequest>) =>
      offsetsOf(bench.do(d.lease(lease({ key: ['t', index, 0], most: 9, ...of }), true)));
    expect([take(0, { least: 9 }), take(1, {}), take(2, {}), take(3, {})]).toEqual([[0, 1], [2], [3], 'pending']);
  });

  it('of a step is refused if its shards have more than 2^25 tokens, and takes nothing', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 6, { tokens: 2 ** 24 });
    const step = (groups: number) =>
      bench.do(d.lease(lease({ key: ['step', groups, 0], dp: 2, most: groups, least: groups }), false));
    expect(step(5)).toEqual({ kind: 'refused', reason: 'too_large' });
    expect(offsetsOf(step(4))).toEqual([0, 1, 2, 3]);
    expect(offsetsOf(step(2))).toBe('again');
  });

  it('of a step is refused if its units have no trajectory for each rank, and writes nothing', () => {
    const bench = createBench();
    const d = bench.start();
    const step = (of: Partial<LeaseRequest> = {}) => lease({ key: ['step', 7, 0], dp: 4, most: 2, least: 2, ...of });
    bench.arrive(d, 1);
    // Whether two units are too few cannot be known of one.
    expect(offsetsOf(bench.do(d.lease(step(), true)))).toBe('pending');
    bench.arrive(d, 2, { group: 'pair', size: 2 });
    bench.arrive(d, 4, { group: 'four', size: 4 });
    const before = bench.kinds();
    const short = { ranks: 4, units: 2, trajectories: 3, isUnitFixed: false };
    const refusal = { kind: 'refused', reason: 'too_few', short };
    const ranks = [step(), step({ rank: 1 }), step({ rank: 2 })];
    expect([bench.do(d.lease(step(), true)), ...bench.do(d.lastLooks('r', ranks))]).toEqual(Array(4).fill(refusal));
    expect(bench.kinds()).toEqual(before);
    expect(offsetsOf(bench.do(d.lease(step({ most: 3, least: 3 }), false)))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('of a step has one answer, also where its units have come to be too few', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 1);
    const step = lease({ key: ['step', 7, 0], dp: 3, most: 2, least: 2 });
    expect(offsetsOf(bench.do(d.lease(step, false)))).toBe('again');
    bench.arrive(d, 1);
    expect(offsetsOf(bench.do(d.lease({ ...step, rank: 1 }, false)))).toBe('again');
    expect(bench.do(d.lease({ ...step, key: ['step', 7, 1] }, false))).toMatchObject({ reason: 'too_few' });
  });

  it('is refused to a rank that names another dp_size, and in other units', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 4);
    const step = lease({ key: ['step', 0, 0], dp: 2 });
    bench.do(d.lease(step, false));
    expect(bench.do(d.lease({ ...step, dp: 1 }, false))).toEqual({ kind: 'refused', reason: 'dp_size_changed' });
    expect(bench.do(d.lease(lease({ unit: 'rollout' }), false))).toEqual({ kind: 'refused', reason: 'unit_is_fixed' });
  });

  it('leaves out what cannot be read, and says why', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2);
    bench.arrive(d, 1);
    bench.unreadable.set(1, 'blob_damaged');
    expect(offsetsOf(bench.do(d.lease(lease(), false)))).toEqual([0, 2]);
    const found = bench.log.map(({ record }) => record).find((record) => record.kind === 'fact');
    expect(found).toMatchObject({ reason: 'blob_damaged' });
    expect(d.view('r')?.states).toMatchObject({ leased: 2, undeliverable: 1 });
  });

  it.each([
    ['member', [1]],
    ['group', 'again'],
    ['keep', [0, 1]],
  ] as const)('takes from a group with one member that is too old, at_take %s: %j', (atTake, given) => {
    const bench = createBench();
    bench.versions.set('v0', { lineage: 0, step: 0, ordinal: 0 });
    bench.versions.set('v3', { lineage: 0, step: 3, ordinal: 3 });
    const d = bench.start();
    const group = { group: 'g', size: 2 };
    bench.ready.push(entryAt(0, { ...group, versions: ['v0'] }), entryAt(1, { ...group, versions: ['v3'] }));
    d.arrived(bench.ready, 2);
    const rule = { maxLag: 2, expiresUnknown: true, atTake };
    expect(offsetsOf(bench.do(d.lease(lease({ rule }), false)))).toEqual(given);
  });

  it('takes what no version is known of for too old only if it is asked to', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 1, { versions: [''] });
    const rule = { maxLag: 0, expiresUnknown: false, atTake: 'member' } as const;
    expect(d.lag('r', entryAt(0, { versions: [''] }))).toBeNull();
    expect(offsetsOf(bench.do(d.lease(lease({ rule: { ...rule, expiresUnknown: true } }), false)))).toBe('again');
    bench.arrive(d, 1, { versions: [''] });
    expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', 0, 1], rule }), false)))).toEqual([1]);
  });

  it('that is released before anybody looked at it does not count towards max_deliveries', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 1);
    const release = (index: number, isUnseen: boolean) => {
      const id = leaseOf(bench.do(d.lease(lease({ key: ['t', index, 0] }), false)));
      return bench.do(d.end('r', { ...ack(id, 0), state: 'queued', isUnseen }));
    };
    // Three grants count, however they ended: the fourth finds it undeliverable.
    for (let index = 0; index < 9; index++) expect(release(index, index % 4 !== 0)).toBe('ok');
    expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', 9, 0] }), false)))).toBe('again');
    expect(d.view('r')?.states).toMatchObject({ undeliverable: 1, queued: 0 });
  });

  it('comes back at the head when it runs out, and is undeliverable after max_deliveries', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2);
    for (let index = 0; index < 3; index++) {
      expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', index, 0], most: 1 }), false)))).toEqual([0]);
      bench.nowMs = d.nextDeadlineMs('r') ?? Number.NaN;
    }
    expect(offsetsOf(bench.do(d.lease(lease({ key: ['t', 3, 0], most: 1 }), false)))).toEqual([1]);
    expect(d.view('r')?.states).toMatchObject({ undeliverable: 1, leased: 1 });
  });

  it('that was extended runs out later; an earlier deadline changes nothing', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 1);
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    expect(bench.do(d.extend('r', 0, id, bench.nowMs + 900))).toBe('ok');
    expect(bench.do(d.extend('r', 0, id, bench.nowMs + 1))).toBe('ok');
    bench.nowMs += 899;
    expect(d.view('r')?.states.leased).toBe(1);
    bench.nowMs += 1;
    expect(d.view('r')?.states).toMatchObject({ leased: 0, queued: 1 });
  });
});

describe('an ack', () => {
  it('has the lag at its time, and is ok twice', () => {
    const bench = createBench();
    bench.versions.set('v0', { lineage: 0, step: 0, ordinal: 0 });
    const d = bench.start();
    bench.arrive(d, 1, { versions: ['v0'] });
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    bench.versions.set('v1', { lineage: 0, step: 1, ordinal: 1 });
    expect([bench.do(d.end('r', ack(id, 1))), bench.do(d.end('r', ack(id, 1)))]).toEqual(['ok', 'ok']);
    const facts = bench.log.filter(({ record }) => record.kind === 'fact');
    expect(facts.map(({ record }) => record)).toMatchObject([{ lags: new Map([[0, 1]]) }]);
    expect(d.runOfLease(id)).toBe('r');
    expect(d.runOfLease('nobody')).toBeNull();
  });

  it('by one that may not answer any more is thrown out', () => {
    const bench = createBench();
    const d = bench.start();
    bench.isHeld = false;
    expect(() => bench.do(d.end('r', ack('x', 1)))).toThrow(Fenced);
  });
});

describe('a run', () => {
  it('that never seals forgets the oldest half once too much is trained, and says from which step on it can go back', () => {
    const bench = createBench({ unsealedTrajectories: 4 });
    const d = bench.start();
    bench.arrive(d, 8);
    for (let index = 0; index < 5; index++) {
      const id = leaseOf(bench.do(d.lease(lease({ key: ['t', index, 0], most: 1 }), false)));
      bench.do(d.end('r', ack(id, index + 1)));
    }
    bench.do(d.fold('r'));
    // Steps 1 to 5 hold one each: two stay, 4 and 5.
    const head = bench.log.map(({ record }) => record).find((record) => record.kind === 'head');
    expect(head).toMatchObject({ head: { floor: 3, low: 3, counts: new Map([['trained', 3]]) } });
    const back = (step: number) => ({ of: { lineage: 0, step }, expect: 0, request: `to ${step}`, tokens: new Map() });
    expect(bench.do(d.rewind('r', back(2)))).toEqual({ kind: 'refused', reason: 'forgotten' });
    expect(bench.do(d.rewind('r', { ...back(3), tokens: null }))).toEqual({ kind: 'refused', reason: 'never_sealed' });
    expect(bench.do(d.rewind('r', back(3)))).toBe(1);
    expect(d.view('r')?.states).toMatchObject({ trained: 3, queued: 5 });
    expect(bench.start().view('r')?.states).toMatchObject({ trained: 3, queued: 5 });
  });

  it('is the same to the next owner after a fold', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 9);
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    bench.do(d.end('r', ack(id, 1)));
    for (const step of [1, 2, 3]) bench.do(d.seal('r', { lineage: 0, step, tokens: new Map() }));
    const before = d.view('r');
    bench.do(d.fold('r'));
    // Three chunks of four offsets each, of which the last has not come; head instead of grant, ack and seals.
    expect(bench.kinds()).toEqual(['chunk', 'chunk', 'head']);
    expect([d.view('r'), bench.start().view('r')]).toEqual([before, before]);
  });
});

describe('tokens', () => {
  /** One lease with @0 and @1, which nobody acked. */
  const begun = () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2);
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    const naming = (...offsets: number[]) => new Map([[id, { step: 1, offsets }]]);
    return { bench, d, id, naming };
  };

  it('that name a part of a lease seal nothing, and its ack trains all of it afterwards', () => {
    const { bench, d, id, naming } = begun();
    const seal = (...offsets: number[]) => bench.do(d.seal('r', { lineage: 0, step: 1, tokens: naming(...offsets) }));
    expect(seal(0)).toEqual({ kind: 'refused', reason: 'lease_lost', part: id });
    expect(bench.do(d.end('r', ack(id, 1)))).toBe('ok');
    expect(d.view('r')?.states).toMatchObject({ trained: 2, queued: 0 });
    // What was acked after all needs no tokens.
    expect(seal(0)).toBe('ok');
  });

  it('that name a part of a lease restore nothing, and fork nothing', () => {
    const { bench, d, id, naming } = begun();
    const [of, refused] = [
      { lineage: 0, step: 1 },
      { kind: 'refused', reason: 'trained_twice', part: id },
    ];
    const back = { of, expect: 0, request: 'x' };
    expect(bench.do(d.rewind('r', { ...back, tokens: naming(1) }))).toEqual(refused);
    expect(bench.do(d.fork('r', { of, into: 'f', request: 'x', tokens: naming(1) }))).toEqual(refused);
    expect(bench.do(d.rewind('r', { ...back, tokens: naming(1, 0) }))).toBe(1);
    expect(d.view('r')?.states).toMatchObject({ trained: 2, queued: 0 });
  });
});

describe('a checkpoint', () => {
  const none = new Map<string, { readonly step: number; readonly offsets: readonly number[] }>();

  it('that is sealed already takes in what a second seal of it names', () => {
    const bench = createBench({ keptCheckpoints: 1 });
    const d = bench.start();
    bench.arrive(d, 4);
    const take = (index: number) => leaseOf(bench.do(d.lease(lease({ key: ['t', index, 0] }), false)));
    const [one, two] = [take(0), take(1)];
    const seal = (id: string, ...offsets: number[]) =>
      bench.do(d.seal('r', { lineage: 0, step: 5, tokens: new Map([[id, { step: 5, offsets }]]) }));
    expect([seal(one, 0, 1), seal(two, 2, 3)]).toEqual(['ok', 'ok']);
    expect(d.view('r')?.states).toMatchObject({ trained: 4, leased: 0 });
    // Asked again it has no effect, also once all of it is final.
    expect(seal(two, 2, 3)).toBe('ok');
    bench.do(d.fold('r'));
    expect([seal(one, 0, 1), seal(two, 2, 3)]).toEqual(['ok', 'ok']);
    expect(seal('nobody', 9)).toEqual({ kind: 'refused', reason: 'lease_lost' });
  });

  it('of a later step is not forgotten before one of an earlier step that was sealed after it', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2);
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    bench.do(d.end('r', ack(id, 18)));
    for (const step of [20, 15, 30]) bench.do(d.seal('r', { lineage: 0, step, tokens: none }));
    bench.do(d.fold('r'));
    // Two are kept. What step 18 trained is final with 20, so 15 can be restored no more.
    const back = (step: number) => ({ of: { lineage: 0, step }, expect: 0, request: `to ${step}`, tokens: null });
    expect(d.view('r')?.seals).toEqual([
      { lineage: 0, step: 20 },
      { lineage: 0, step: 30 },
    ]);
    expect(bench.do(d.rewind('r', back(15)))).toEqual({ kind: 'refused', reason: 'forgotten' });
    expect(bench.do(d.rewind('r', back(20)))).toBe(1);
    expect(d.view('r')?.states).toMatchObject({ trained: 2 });
  });

  it('is not restored by a request that went back to another, nor out of a lineage that never was', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 1);
    const back = (lineage: number, step: number, expect = 0) =>
      bench.do(d.rewind('r', { of: { lineage, step }, expect, request: 'restart', tokens: none }));
    expect(back(7, 12)).toEqual({ kind: 'refused', reason: 'checkpoint_discarded' });
    expect([back(0, 12), back(0, 12)]).toEqual([1, 1]);
    expect(back(0, 10)).toEqual({ kind: 'refused', reason: 'conflict' });
    expect(back(0, 10, 1)).toEqual({ kind: 'refused', reason: 'conflict' });
    expect(d.view('r')?.lineage).toBe(1);
  });
});

describe('a fork', () => {
  const request = { of: { lineage: 0, step: 1 }, into: 'f', request: 'q', tokens: null };

  it('too large for one record counts once its last has come', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 9);
    const id = leaseOf(bench.do(d.lease(lease(), false)));
    bench.do(d.end('r', ack(id, 1)));
    bench.do(d.seal('r', { lineage: 0, step: 1, tokens: new Map() }));
    const half = d.fork('r', request);
    for (let step = half.next({}), written = 0; written < 2 && step.done !== true; written++) {
      if (step.value.kind === 'write') bench.log.push({ key: step.value.key, record: step.value.record });
      step = half.next({ landed: true });
    }
    // Crash between its pieces: nothing of it is there, and it is asked again.
    const next = bench.start();
    expect(next.view('f')?.states).toMatchObject({ queued: 0, trained: 0 });
    expect(bench.do(next.fork('r', request))).toBe('ok');
    bench.do(next.fold('f'));
    const after = bench.start();
    expect(after.view('f')).toMatchObject({ lineage: 0, states: { queued: 7, trained: 2 } });
    expect(bench.do(after.fork('r', request))).toBe('ok');
    expect(bench.do(after.fork('r', { ...request, request: 'other' }))).toEqual({ kind: 'refused', reason: 'exists' });
    const head = bench.log
      .map(({ record }) => record)
      .find((one): one is LeaseRecord & { kind: 'head' } => one.kind === 'head');
    expect(head?.head.inheritedCount).toBe(9);
  });

  it('and its parent go on alone', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 2);
    bench.do(d.seal('r', { lineage: 0, step: 1, tokens: new Map() }));
    bench.do(d.fork('r', request));
    const own = bench.do(d.lease(lease({ run: 'f' }), false));
    bench.do(d.end('f', ack(leaseOf(own), 2)));
    expect([d.view('f')?.states.trained, d.view('r')?.states.queued]).toEqual([2, 2]);
    expect(d.runOfLease(leaseOf(own))).toBe('f');
  });
});

describe('a run that is deleted', () => {
  it('is forgotten with all that it had, also by who takes over; one that takes its name begins behind it', () => {
    const bench = createBench();
    const d = bench.start();
    bench.arrive(d, 3);
    bench.arrive(d, 1, { run: 'other' });
    bench.do(d.end('r', ack(leaseOf(bench.do(d.lease(lease(), false))), 1)));
    bench.do(d.seal('r', { lineage: 0, step: 1, tokens: new Map() }));
    bench.do(d.rewind('r', { of: { lineage: 0, step: 1 }, expect: 0, request: 'q', tokens: null }));
    const out = leaseOf(bench.do(d.lease(lease({ lineage: 1, key: ['t', 1, 0] }), false)));
    expect(d.runOfLease(out)).toBe('r');
    bench.do(d.forget('r', 4));
    const nothing = { lineage: 0, unit: null, seals: [{ lineage: 0, step: 0 }], last: new Map() };
    const next = bench.start();
    for (const one of [d, next]) {
      expect(one.runOfLease(out)).toBeNull();
      expect(one.view('r')).toMatchObject({ ...nothing, states: { queued: 0, leased: 0, trained: 0 } });
      expect(one.view('other')?.states.queued).toBe(1);
    }
    expect(bench.kinds()).toEqual(['head']);
    bench.arrive(next, 1);
    const anew = bench.do(next.lease(lease(), false));
    expect(offsetsOf(anew)).toEqual([4]);
    bench.do(next.end('r', ack(leaseOf(anew), 1)));
    bench.do(next.forget('r', 4));
    expect(bench.start().view('r')?.states).toMatchObject({ trained: 1, queued: 0 });
  });
});
