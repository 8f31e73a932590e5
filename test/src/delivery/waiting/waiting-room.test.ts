import { expect, it } from 'vitest';
import { createWaitingRoom, type WaitingRoom } from '../../../../src/delivery/waiting/waiting-room.ts';
import { createTestClock, type TestClock } from '../delivery-world.ts';

/** A run with so many units; each request takes `wants` of them, or waits. */
interface Shelf {
  readonly clock: TestClock;
  readonly room: WaitingRoom<string>;
  units: number;
  /** Looks so far. */
  looks: number;
  ask(name: string, over?: { wants?: number; key?: string; waitMs?: number; signal?: AbortSignal }): Promise<string>;
  /** Resolves when all that was under way has come to rest. */
  rest(): Promise<void>;
}

function createShelf(): Shelf {
  const clock = createTestClock();
  const answers = new Map<string, string>();
  const shelf: Shelf = {
    clock,
    room: createWaitingRoom<string>({ alarm: clock.alarm, givenUp: () => new Error('given up'), parked: () => {} }),
    units: 0,
    looks: 0,
    ask: (name, { wants = 1, key, waitMs = 1_000, signal = new AbortController().signal } = {}) =>
      shelf.room.ask(
        {
          kind: `${wants}`,
          key: key ?? null,
          async evaluate(mayWait) {
            shelf.looks += 1;
            await Promise.resolve();
            const answered = key === undefined ? undefined : answers.get(key);
            if (answered !== undefined) return answered;
            if (shelf.units < wants && mayWait) return null;
            const answer = shelf.units < wants ? 'again' : `${key ?? name} has ${wants}`;
            if (answer !== 'again') shelf.units -= wants;
            if (key !== undefined) answers.set(key, answer);
            return answer;
          },
        },
        waitMs,
        signal,
      ),
    rest: () => new Promise((resolve) => setImmediate(resolve)),
  };
  return shelf;
}

it('a thousand that wait for the same cost one look, and one more for each that is served', async () => {
  const shelf = createShelf();
  const asked = Array.from({ length: 1_000 }, (_, index) => shelf.ask(`t${index}`));
  await shelf.rest();
  expect([shelf.room.size, shelf.looks]).toEqual([1_000, 1_000]);
  shelf.looks = 0;
  shelf.room.changed();
  await shelf.rest();
  expect(shelf.looks).toBe(1);
  shelf.units = 1;
  shelf.room.changed();
  await shelf.rest();
  expect([shelf.looks, shelf.room.size]).toEqual([3, 999]);
  expect(await asked[0]).toBe('t0 has 1');
  // Nothing has changed: nothing is looked at.
  await shelf.rest();
  expect(shelf.looks).toBe(3);
  shelf.room.empty(new Error('closed'));
  expect(new Set(await Promise.all(asked.slice(1).map((one) => one.catch(String))))).toEqual(
    new Set(['Error: closed']),
  );
});

it('is served first who came first', async () => {
  const shelf = createShelf();
  const asked = ['a', 'b', 'c'].map((name) => shelf.ask(name));
  await shelf.rest();
  shelf.units = 2;
  shelf.room.changed();
  expect(await Promise.all(asked.slice(0, 2))).toEqual(['a has 1', 'b has 1']);
  shelf.units = 1;
  shelf.room.changed();
  expect(await asked[2]).toBe('c has 1');
});

it('one that wants much does not hold up one that wants less', async () => {
  const shelf = createShelf();
  const much = shelf.ask('much', { wants: 5 });
  const less = shelf.ask('less');
  await shelf.rest();
  shelf.units = 1;
  shelf.room.changed();
  expect(await less).toBe('less has 1');
  shelf.units = 5;
  shelf.room.changed();
  expect(await much).toBe('much has 5');
});

it('ranks of one key hear the same: a batch', async () => {
  const shelf = createShelf();
  const ranks = [0, 1, 2].map((rank) => shelf.ask(`rank ${rank}`, { key: 'step 1' }));
  await shelf.rest();
  shelf.units = 1;
  shelf.room.changed();
  expect(await Promise.all(ranks)).toEqual(['step 1 has 1', 'step 1 has 1', 'step 1 has 1']);
  expect(shelf.units).toBe(0);
});

it('ranks of one key hear the same: again, as soon as the wait of one is over', async () => {
  const shelf = createShelf();
  const early = shelf.ask('rank 0', { key: 'step 1', waitMs: 100 });
  const late = shelf.ask('rank 1', { key: 'step 1', waitMs: 10_000 });
  await shelf.rest();
  shelf.clock.advance(100);
  expect(await Promise.all([early, late])).toEqual(['again', 'again']);
});

it('what comes while a request is looked at is not missed', async () => {
  const shelf = createShelf();
  const asked = shelf.ask('a');
  // Its first look is under way; it has no place in the queue yet.
  shelf.room.changed();
  await Promise.resolve();
  await Promise.resolve();
  shelf.units = 1;
  shelf.room.changed();
  expect(await asked).toBe('a has 1');
});

it('who gave up takes nothing, and is told so', async () => {
  const shelf = createShelf();
  const gone = new AbortController();
  const asked = shelf.ask('gone', { signal: gone.signal });
  const other = shelf.ask('other');
  await shelf.rest();
  gone.abort();
  await expect(asked).rejects.toThrow('given up');
  shelf.units = 1;
  shelf.room.changed();
  expect(await other).toBe('other has 1');
  await expect(shelf.ask('too late', { signal: gone.signal })).rejects.toThrow('given up');
});

it('a look that fails is the answer of the one that was looked at, and of nobody else', async () => {
  const clock = createTestClock();
  const room = createWaitingRoom<string>({ alarm: clock.alarm, givenUp: () => new Error(), parked: () => {} });
  let fails = false;
  const asks = (kind: string) => ({
    ...{ kind, key: null },
    async evaluate() {
      if (fails && kind === 'bad') throw new Error('bad');
      return fails ? kind : null;
    },
  });
  const never = new AbortController().signal;
  const asked = [room.ask(asks('bad'), 1_000, never), room.ask(asks('good'), 1_000, never)];
  await new Promise((resolve) => setImmediate(resolve));
  fails = true;
  room.changed();
  expect(await Promise.allSettled(asked)).toMatchObject([{ reason: { message: 'bad' } }, { value: 'good' }]);
});
