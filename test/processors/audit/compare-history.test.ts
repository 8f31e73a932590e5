import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareHistory } from '../../../processors/audit/compare-history.ts';

const STOP = 151_645;
/** Ids of what was sampled, and others, which it cannot hold. */
const sampled = fc.array(fc.integer({ min: 1000, max: 100_000 }), { minLength: 1, maxLength: 120 });
const others = (maxLength: number) => fc.array(fc.integer({ min: 200_000, max: 300_000 }), { minLength: 1, maxLength });

/** One completion, with its stop token. */
const held = (ids: readonly number[]) => ({
  ids: Uint32Array.from([...ids, STOP]),
  ranges: [{ end: ids.length + 1, isSampled: true, turn: 0 }],
});

it('what is there whole is no break, whatever follows', () => {
  fc.assert(
    fc.property(sampled, others(20), (ids, after) => {
      expect(compareHistory(held(ids), Uint32Array.from([...ids, STOP, ...after]))).toBeNull();
    }),
  );
});

it('tokens encoded again are a drift, at the first that differs', () => {
  const changed = fc.tuple(sampled, fc.nat(), fc.integer({ min: 1, max: 4 }), others(4), others(20));
  fc.assert(
    fc.property(changed, ([ids, place, count, instead, after]) => {
      const at = place % ids.length;
      const gone = Math.min(count, ids.length - at);
      const prompt = [...ids.slice(0, at), ...instead, ...ids.slice(at + gone), STOP, ...after];
      expect(compareHistory(held(ids), Uint32Array.from(prompt))).toMatchObject({ kind: 'drift', at, newAt: at });
    }),
  );
});

it('tokens left out are no drift, however many', () => {
  // Distinct ids: of equal neighbours nobody can say which one is gone.
  const distinct = fc.uniqueArray(fc.integer({ min: 1000, max: 100_000 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(distinct, fc.nat(), fc.nat(), others(20), (ids, place, count, after) => {
      const at = place % ids.length;
      const gone = 1 + (count % (ids.length - at));
      const prompt = [...ids.slice(0, at), ...ids.slice(at + gone), STOP, ...after];
      expect(compareHistory(held(ids), Uint32Array.from(prompt))).toMatchObject({
        kind: 'rewritten',
        at,
        gone,
        came: 0,
      });
    }),
  );
});

it('a hundred thousand equal tokens are compared in bounded work', () => {
  const ids = Uint32Array.from({ length: 100_000 }, () => 198);
  const prompt = ids.slice(0, 99_000);
  prompt[50_000] = 271;
  const ranges = [{ end: 100_000, isSampled: true, turn: 0 }];
  expect(compareHistory({ ids, ranges }, prompt)).toMatchObject({ at: 50_000 });
});

it('after another question comes another answer, which is no drift of the one that was left out', () => {
  // question 1, answer 1, question 2, answer 2; the prompt leaves the first two out.
  const turn = (ids: readonly number[]) => [...ids, ...ids, ...ids, STOP, 7, 8, 9];
  const exchange = (n: number) => [turn([n, n + 1, n + 2]), [n + 3, n + 4, n + 5, STOP]] as const;
  const [[ask1, answer1], [ask2, answer2]] = [exchange(1000), exchange(2000)];
  const ids = Uint32Array.from([...ask1, ...answer1, ...ask2, ...answer2]);
  let end = 0;
  const ends = [ask1, answer1, ask2, answer2].map(({ length }) => {
    end += length;
    return end;
  });
  const ranges = ends.map((to, i) => ({ end: to, isSampled: i % 2 === 1, turn: i >> 1 }));
  const prompt = Uint32Array.from([...ask2, ...answer2, ...turn([3000])]);
  expect(compareHistory({ ids, ranges }, prompt)).toMatchObject({ kind: 'rewritten', at: 0, newAt: 0 });
});
