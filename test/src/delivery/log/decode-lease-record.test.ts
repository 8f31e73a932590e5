import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Decision,
  type Fact,
  type LeaseRecord,
  READY_STATES,
  type ReadyEntry,
  type RunHead,
} from '../../../../processors/model/delivery.ts';
import { decodeLeaseRecord } from '../../../../src/delivery/log/decode-lease-record.ts';
import { encodeLeaseRecord } from '../../../../src/delivery/log/encode-lease-record.ts';
import { anyText } from '../../clickhouse/schema-arbitrary.ts';

const AT = { topic: 'ready.leases', offset: 7 };

const whole = fc.maxSafeNat();
const small = fc.nat(5);
const fact: fc.Arbitrary<Fact> = fc.record({
  state: fc.constantFrom(...READY_STATES),
  lineage: small,
  step: whole,
  // Few, so that stretches form.
  lease: fc.constantFrom('', '1.ab.2', '1.ab.3'),
  count: small,
});
const offsets = fc.uniqueArray(fc.nat(100_000), { maxLength: 20 });
/** In any order: that of a grant is that of delivery. */
const facts = offsets.chain((some) =>
  fc.tuple(...some.map((offset) => fc.tuple(fc.constant(offset), fact))).map((all) => new Map(all)),
);
const entry: fc.Arbitrary<ReadyEntry> = fc
  .record({
    offset: whole,
    run: fc.constantFrom('run', 'parent'),
    size: small,
    unit: anyText,
    rollout: anyText,
    attempt: small,
    tokens: whole,
    versions: fc.array(fc.oneof(fc.constantFrom('', 'v1', 'v2'), anyText), { maxLength: 3 }),
    readyAtMs: whole,
  })
  .chain((one) => fc.constantFrom(one.unit, `${one.unit}#${one.offset}`).map((group) => ({ ...one, group })))
  .chain((one) =>
    fc
      .constantFrom({}, { replay: 'p' }, { replay: 'p', again: true as const })
      .map((version) => ({ ...one, ...version })),
  );
const entries = fc.array(entry, { maxLength: 5 });
const key = fc.tuple(anyText, whole, small);
const measure = fc.option(fc.oneof(fc.double({ noNaN: false }).map((one) => (Object.is(one, -0) ? 0 : one))));
const checkpoint = fc.record({ lineage: small, step: whole });
const head: fc.Arbitrary<RunHead> = fc.record({
  unit: fc.constantFrom(null, 'rollout', 'group'),
  lineage: small,
  request: fc.option(anyText),
  forked: fc.option(anyText),
  inheritedCount: whole,
  cuts: fc.uniqueArray(fc.tuple(small, whole), { selector: ([one]) => one }).map((all) => new Map(all)),
  seals: fc.array(checkpoint),
  floor: whole,
  last: fc
    .uniqueArray(key, { selector: ([one]) => one })
    .map((all) => new Map(all.map(([name, ...turn]) => [name, turn] as const))),
  inherited: fc
    .uniqueArray(fc.tuple(anyText, fc.record({ lineage: small, step: whole, ordinal: whole })), {
      selector: ([one]) => one,
    })
    .map((all) => new Map(all)),
  low: whole,
  final: fc.array(fc.tuple(whole, whole)),
  counts: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...READY_STATES), whole), { selector: ([one]) => one })
    .map((all) => new Map(all)),
});
const lags = offsets.map((all) => new Map(all.map((offset) => [offset, offset % 3] as const)));
const run = fc.constant('run');
const kind = <K extends Decision['kind']>(name: K) => fc.constant(name);
const decision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({ kind: kind('claim'), url: anyText }),
  fc.record({ kind: kind('indexed'), offset: whole }),
  fc.record({ kind: kind('chunk'), run, entries, piece: fc.option(anyText), facts }),
  fc.record({ kind: kind('wait'), run, keys: fc.array(key) }),
  fc.record({ kind: kind('head'), run, head }),
  fc.record({ kind: kind('seal'), run, facts, lineage: small, step: whole, lags, isFloor: fc.boolean() }),
  fc.record({ kind: kind('rewind'), run, facts, lineage: small, of: small, step: whole, request: anyText }),
  fc.record({ kind: kind('fork'), run, parent: anyText, of: small, facts, entries, head, piece: fc.option(anyText) }),
  fc.record({
    ...{ kind: kind('fact'), run, facts, reason: anyText, version: fc.option(anyText) },
    lags,
    match: fc.option(fc.record({ kl: measure, maxLogprobDiff: measure, clippedShare: measure })),
  }),
  fc.record({
    ...{ kind: kind('grant'), run, facts, lease: anyText, lineage: small, key, dp: small, consumer: anyText },
    ...{
      deadline: whole,
      grantedAtMs: whole,
      waitedMs: whole,
      unit: fc.constantFrom('rollout' as const, 'group' as const),
    },
    shards: fc.array(fc.array(offsets, { maxLength: 3 }), { maxLength: 3 }),
  }),
);
const record: fc.Arbitrary<LeaseRecord> = fc
  .tuple(decision, fc.record({ claim: whole, by: anyText, seq: whole, at: whole }))
  .map(([what, who]) => ({ ...what, ...who }));

/** Maps compare equal whatever their order; delivery has one. */
const ordered = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one) => (one instanceof Map ? [...one] : Number.isNaN(one) ? 'NaN' : one)) ?? 'null',
  );

describe('a record of ready.leases', () => {
  it('is read as it was written, in its order', () => {
    fc.assert(
      fc.property(record, (written) => {
        const read = decodeLeaseRecord(encodeLeaseRecord(written), AT);
        expect(read).toEqual(written);
        expect(ordered(read)).toEqual(ordered(written));
      }),
      { numRuns: 500 },
    );
  });

  it('says nothing twice: a grant of 10,000 entries takes a few bytes each', () => {
    const of: Fact = { state: 'leased', lineage: 0, step: 0, lease: '1.0123456789ab.2', count: 1 };
    const granted = new Map(Array.from({ length: 10_000 }, (_, index) => [1_000_000 + index, of] as const));
    const grant: LeaseRecord = {
      ...{ claim: 1, by: '0123456789ab', seq: 2, at: 0, kind: 'grant', run: 'run', facts: granted, lease: of.lease },
      ...{
        lineage: 0,
        key: ['t', 0, 0],
        dp: 0,
        unit: 'group',
        consumer: 't',
        deadline: 1,
        grantedAtMs: 0,
        waitedMs: 0,
      },
      shards: [[[...granted.keys()]]],
    };
    expect(encodeLeaseRecord(grant).length).toBeLessThan(50_000);
  });

  it.each([
    ['no JSON', '{"claim"'],
    ['no object', '[1]'],
    ['a kind of another version', '{"claim":1,"by":"a","seq":1,"at":0,"kind":"lend"}'],
    ['a missing field', '{"claim":1,"by":"a","seq":1,"at":0,"kind":"claim"}'],
    ['a number as text', '{"claim":1,"by":"a","seq":"1","at":0,"kind":"indexed","offset":1}'],
    [
      'a state that is none',
      `{"claim":1,"by":"a","seq":1,"at":0,"kind":"seal","run":"r","facts":[[["lost",0,0,"",0],[1]]],"lineage":0,"step":1,"lags":[],"isFloor":false}`,
    ],
    [
      'an offset twice',
      `{"claim":1,"by":"a","seq":1,"at":0,"kind":"seal","run":"r","facts":[[["queued",0,0,"",0],[1,0]]],"lineage":0,"step":1,"lags":[],"isFloor":false}`,
    ],
  ])('that cannot be read is refused, naming its offset: %s', (_, text) => {
    expect(() => decodeLeaseRecord(Buffer.from(text), AT)).toThrow(
      expect.objectContaining({ code: 'RS_LOG_DAMAGED', facts: { topic: 'ready.leases', offset: 7 } }),
    );
  });
});
