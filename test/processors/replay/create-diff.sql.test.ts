import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DecisionRow } from '../../../processors/model/effects.ts';
import { createDiff } from '../../../processors/replay/create-diff.ts';
import type { DiffTally } from '../../../processors/replay/diff-tally.ts';
import { mergeTallies, NO_CHANGES } from '../../../processors/replay/merge-tallies.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { sampleDecision } from '../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../src/clickhouse/temporary-store.ts';

/** What is compared: 400 groups of five, of which a replay decides four, one that live did not among them. */
const decidedArbitrary = fc.record({
  reason_code: fc.constantFrom('task_complete', 'max_turns', 'oom'),
  category: fc.constantFrom('completion', 'infra_fault'),
  disposition: fc.constantFrom('train' as const, 'drop' as const, 'retry' as const),
  reward: fc.constantFrom(null, 0, 1, -1, 0.5, 0.25),
  reward_valid: fc.boolean(),
  advantage: fc.constantFrom(null, 0, 1e-10, 0.5, -2),
});

const GROUPS = 400;
let temporary: TemporaryStore;
let tally: DiffTally;

beforeAll(async () => {
  temporary = await temporaryStore();
  const values = fc.sample(decidedArbitrary, { numRuns: GROUPS * 10, seed: 21 });
  const rows = values.map((value, n): DecisionRow => {
    const [side, member, group] = [n % 2, (n >> 1) % 5, Math.floor(n / 10)];
    // Every other group is decided as before.
    const decided = side === 1 && group % 2 === 0 ? (values[n - 1] ?? value) : value;
    const names = { rollout_id: `r${group}-${member}`, unit: `run/0/g/g${group}`, replay_id: side === 0 ? '' : 'r-1' };
    return { ...sampleDecision(n), ...decided, ...names };
  });
  const [before, after] = [0, 4].map((absent, side) =>
    rows.filter((_, n) => n % 2 === side && (n >> 1) % 5 !== absent),
  );
  await temporary.store.insert(encodeDecisions([...(before ?? []), ...(after ?? [])], { topic: 't', term: 1 }));
  const pieces = [0, 1, 2].map((third) => {
    const diff = createDiff();
    for (let group = third; group < GROUPS; group += 3) {
      const unit = `run/0/g/g${group}`;
      const of = (side: readonly DecisionRow[] | undefined) => (side ?? []).filter((row) => row.unit === unit);
      diff.add(unit, of(before), of(after), [{ rolloutId: `r${group}-4`, attempt: 0, reason: 'already_decided' }]);
    }
    return diff.tally();
  });
  tally = pieces.reduce(mergeTallies, NO_CHANGES);
});
afterAll(() => temporary.remove());

const SIDE = 'rollout_id, unit, reason_code, category, disposition, advantage, if(reward_valid, reward, NULL) AS value';
const JOINED = `(SELECT ${SIDE} FROM rollstream.decisions WHERE replay_id = '') AS a
  INNER JOIN (SELECT ${SIDE} FROM rollstream.decisions WHERE replay_id = 'r-1') AS b ON b.rollout_id = a.rollout_id`;
/** NULL-safe: toString of a tuple tells null from 0. */
const IS_MOVED = `if(isNull(a.advantage) OR isNull(b.advantage), isNull(a.advantage) != isNull(b.advantage),
  abs(a.advantage - b.advantage) > 1e-9)`;
const IS_CHANGED = `toString((a.reason_code, a.category, a.disposition, a.value)) != toString((b.reason_code, b.category, b.disposition, b.value))
  OR ${IS_MOVED}`;

it.each(['reason_code', 'category', 'disposition', 'value'] as const)(
  'the matrix of %s is what SQL counts',
  async (field) => {
    const text = (side: string) => `ifNull(toString(${side}.${field}), 'null')`;
    const expected = await temporary.store.query(
      `SELECT ${text('a')} AS from, ${text('b')} AS to, toUInt32(count()) AS n,
       if(from = to, [], arraySlice(arraySort(groupUniqArray(b.rollout_id)), 1, 3)) AS examples
     FROM ${JOINED} GROUP BY from, to ORDER BY n DESC, from, to`,
    );
    const found = {
      ...{ reason_code: tally.reasons, category: tally.categories, disposition: tally.dispositions },
      value: tally.rewards.matrix,
    };
    expect(found[field]).toEqual(expected);
  },
);

it('the sums are what SQL counts', async () => {
  const [expected] = await temporary.store.query(
    `SELECT toUInt32(count()) AS attempts, toUInt32(countIf(${IS_CHANGED})) AS changed,
       toUInt32(countIf(isNotNull(a.value) AND isNotNull(b.value))) AS both,
       sumIf(a.value, isNotNull(b.value)) AS sum_before, sumIf(b.value, isNotNull(a.value)) AS sum_after,
       toUInt32(countIf(ifNull(sign(a.value) != sign(b.value), 0))) AS sign_flips,
       toUInt32(countIf(${IS_MOVED})) AS attempts_moved, toUInt32(uniqExactIf(b.unit, ${IS_MOVED})) AS groups_moved,
       max(abs(a.advantage - b.advantage)) AS largest
     FROM ${JOINED}`,
  );
  const { attempts, changed, same, rewards, advantages } = tally;
  const { both, sum_before, sum_after, sign_flips } = rewards;
  const { attempts_moved, groups_moved, largest } = advantages;
  expect({
    ...{ attempts, changed, both, sum_before, sum_after, sign_flips, attempts_moved, groups_moved, largest },
  }).toEqual(expected);
  expect(same).toBe(attempts - changed);
});

it('what is on one side only has vanished, or appeared', async () => {
  const only = (there: string, elsewhere: string) =>
    temporary.store.query<{ n: number }>(
      `SELECT toUInt32(count()) AS n FROM rollstream.decisions WHERE replay_id = '${there}' AND rollout_id NOT IN
        (SELECT rollout_id FROM rollstream.decisions WHERE replay_id = '${elsewhere}')`,
    );
  expect(await only('', 'r-1')).toEqual([{ n: tally.vanished }]);
  expect(await only('r-1', '')).toEqual([{ n: tally.appeared }]);
  const gone = tally.examples.filter(({ after }) => after === null);
  expect(new Set(gone.map(({ refused }) => refused))).toEqual(new Set(['already_decided']));
});
