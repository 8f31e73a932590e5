import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '../../../src/broker/port.ts';
import type { HeldProgress } from '../../../src/gate/held-progress.ts';
import { lookThroughHeld, nextToLookAt, withoutBrokenGroup } from '../../../src/gate/look-through-held.ts';

function held(offset: number, run: string | null, group: string | null = null): LogRecord {
  const headers = { ...(run === null ? {} : { run }), ...(group === null ? {} : { group }) };
  const key = Buffer.from(`${run}/0/${group === null ? `r/${offset}` : `g/${group}`}`);
  return { topic: 'held', partition: 0, offset, timestampMs: 0, key, value: Buffer.of(1), headers };
}

const NOTHING: HeldProgress = { lookedTo: 0, waiting: new Map() };
const offsets = (records: readonly LogRecord[]) => records.map(({ offset }) => offset);
const open =
  (...runs: readonly string[]) =>
  (run: string) =>
    runs.includes(run) ? Number.POSITIVE_INFINITY : -1;

describe('looking through what is held', () => {
  const log = [held(0, 'a'), held(1, 'b'), held(2, 'a'), held(3, 'b'), held(4, 'a')];

  test('a closed run stops no other', () => {
    const { moved, next } = lookThroughHeld(NOTHING, { from: 0, to: 5, records: log }, open('b'));
    expect(offsets(moved)).toEqual([1, 3]);
    expect(next).toEqual({ lookedTo: 5, waiting: new Map([['a', 0]]) });
    expect(nextToLookAt(next, open('b'))).toBe(5);
    expect(nextToLookAt(next, open('a'))).toBe(0);
    const after = lookThroughHeld(next, { from: 0, to: 5, records: log }, open('a', 'b'));
    expect(offsets(after.moved)).toEqual([0, 2, 4]);
    expect(after.next).toEqual({ lookedTo: 5, waiting: new Map() });
  });

  test('what a deleted run had held is passed over, also for a new run of its name whose gate is open', () => {
    const goneBelow = (run: string) => (run === 'a' ? 3 : 0);
    const { moved, next } = lookThroughHeld(NOTHING, { from: 0, to: 5, records: log }, open('a'), goneBelow);
    expect(offsets(moved)).toEqual([4]);
    expect(next).toEqual({ lookedTo: 5, waiting: new Map([['b', 1]]) });
  });

  test('a run that opens while a batch of later offsets is read is not taken from it', () => {
    const waiting = { lookedTo: 3, waiting: new Map([['a', 0]]) };
    const { moved, next } = lookThroughHeld(waiting, { from: 3, to: 5, records: log.slice(3) }, open('a', 'b'));
    expect(offsets(moved)).toEqual([3]);
    expect(next).toEqual({ lookedTo: 5, waiting: new Map([['a', 0]]) });
  });

  test('a run that closes in the middle of what it had left goes on there', () => {
    const waiting = { lookedTo: 5, waiting: new Map([['a', 0]]) };
    const first = lookThroughHeld(waiting, { from: 0, to: 2, records: log.slice(0, 2) }, open('a'));
    expect(offsets(first.moved)).toEqual([0]);
    expect(first.next).toEqual({ lookedTo: 5, waiting: new Map([['a', 2]]) });
    expect(lookThroughHeld(first.next, { from: 5, to: 5, records: [] }, open()).next).toEqual(first.next);
  });

  test('of a run that closed, what was said to be released is moved, and no more', () => {
    const released = (run: string) => (run === 'a' ? 2 : -1);
    const { moved, next } = lookThroughHeld(NOTHING, { from: 0, to: 5, records: log }, released);
    expect(offsets(moved)).toEqual([0, 2]);
    const left = new Map([
      ['b', 1],
      ['a', 4],
    ]);
    expect(next).toEqual({ lookedTo: 5, waiting: left });
    const again = lookThroughHeld(
      { lookedTo: 5, waiting: new Map([['a', 0]]) },
      { from: 0, to: 2, records: log.slice(0, 2) },
      released,
    );
    expect(offsets(again.moved)).toEqual([0]);
    expect(again.next).toEqual({ lookedTo: 5, waiting: new Map([['a', 2]]) });
  });

  test('a record that names no run is left where it is', () => {
    const { moved, next } = lookThroughHeld(
      NOTHING,
      { from: 0, to: 2, records: [held(0, null), held(1, 'a')] },
      open('a'),
    );
    expect(offsets(moved)).toEqual([1]);
    expect(next).toEqual({ lookedTo: 2, waiting: new Map() });
  });

  test('each record is moved once and in order within its run, whenever gates open and close and wherever batches end', () => {
    const runs = fc.constantFrom('a', 'b', 'c');
    const looks = fc.array(
      fc.record({
        open: fc.uniqueArray(runs),
        closesAt: fc.nat(40),
        size: fc.integer({ min: 1, max: 5 }),
        known: fc.nat(4),
      }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(fc.array(runs, { maxLength: 40 }), looks, (names, steps) => {
        const records = names.map((name, offset) => held(offset, name));
        let end = 0;
        let progress = NOTHING;
        const moved = new Map<string, number[]>();
        const look = (mayMoveTo: (run: string) => number, size: number) => {
          const from = nextToLookAt(progress, mayMoveTo);
          if (from >= end) return false;
          const to = Math.min(end, from + size);
          const result = lookThroughHeld(progress, { from, to, records: records.slice(from, to) }, mayMoveTo);
          for (const record of result.moved) {
            const run = record.headers.run ?? '';
            expect(record.offset).toBeLessThanOrEqual(mayMoveTo(run));
            moved.set(run, [...(moved.get(run) ?? []), record.offset]);
          }
          progress = result.next;
          return true;
        };
        for (const step of steps) {
          end = Math.min(records.length, end + step.known);
          look((run) => (step.open.some((one) => one === run) ? step.closesAt : -1), step.size);
        }
        end = records.length;
        while (look(() => Number.POSITIVE_INFINITY, 3));
        for (const name of ['a', 'b', 'c'])
          expect(moved.get(name) ?? []).toEqual(names.flatMap((other, offset) => (other === name ? [offset] : [])));
        expect(progress).toEqual({ lookedTo: records.length, waiting: new Map() });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a batch that ends within a group', () => {
  const batch = [held(0, 'a'), held(1, 'a', 'g'), held(2, 'a', 'g')];

  test('leaves the group to the next one', () => {
    expect(offsets(withoutBrokenGroup(batch, 9))).toEqual([0]);
  });
  test('is whole where nothing comes after it', () => {
    expect(offsets(withoutBrokenGroup(batch, 3))).toEqual([0, 1, 2]);
  });
  test('takes what it has of a group that is larger than itself', () => {
    expect(offsets(withoutBrokenGroup(batch.slice(1), 9))).toEqual([1, 2]);
  });
  test('is whole where it ends with a rollout without a group', () => {
    expect(offsets(withoutBrokenGroup([...batch, held(3, 'a')], 9))).toEqual([0, 1, 2, 3]);
  });
});
