import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { createRandom } from '../../examples/generate/random.ts';
import { DEFAULT_SCOPE } from '../../processors/decide/policy-sections.ts';
import { baselineOf } from '../../processors/group/baselines.ts';
import type { GroupRule } from '../../processors/model/policy.ts';
import { packageFile } from '../../src/config/package-file.ts';

interface Group {
  readonly rewards: readonly number[];
  /** Of members out of the baseline. */
  readonly others: readonly number[];
  readonly rule: GroupRule;
}

const random = createRandom('advantages');
const below = (limit: number) => Math.floor(random() * limit);
const REWARDS: ReadonlyArray<() => number> = [
  () => below(2),
  () => below(3) / 2 - 0.5,
  () => random() * 2 - 1,
  () => (random() - 0.5) * 1e6,
  () => 0.3,
];

function groupOf(rule: GroupRule): Group {
  const reward = REWARDS[below(REWARDS.length)] ?? random;
  const list = (length: number) => Array.from({ length }, () => reward());
  return { rewards: list(1 + below(16)), others: list(below(4)), rule };
}

const RULES: readonly GroupRule[] = (['grpo', 'mean', 'leave_one_out', 'none'] as const).flatMap((baseline) =>
  [true, false].flatMap((divideByStd) =>
    [0, 1].flatMap((ddof) =>
      [1e-6, 1e-4, 0].map((eps) => ({ ...DEFAULT_SCOPE.group, baseline, divideByStd, ddof, eps })),
    ),
  ),
);

/** What Python, which knows nothing of rollstream, computes for each group. */
function independent(groups: readonly Group[]): Array<{ advantages: unknown[]; others: unknown[] }> {
  const input = groups.map(({ rewards, others, rule: { baseline, divideByStd, ddof, eps } }) =>
    JSON.stringify({ rewards, others, baseline, divide_by_std: divideByStd, ddof, eps }),
  );
  const { status, stdout, stderr } = spawnSync('python3', [packageFile('test/oracles/advantages.py')], {
    input: input.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Within 1e-6, of values that are themselves large: relative to them. */
function mustBeClose(ours: number | null | undefined, theirs: unknown): void {
  if (ours === null || ours === undefined || typeof theirs !== 'number') {
    expect(ours).toBe(theirs);
    return;
  }
  expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(theirs)));
}

it('advantages equal what Python computes, to 1e-6, for all baselines, ddof 0 and 1, in and out of the baseline', () => {
  const groups = Array.from({ length: 40 }, () => RULES.map(groupOf)).flat();
  const expected = independent(groups);
  expect(expected).toHaveLength(groups.length);
  for (const [i, { rewards, others, rule }] of groups.entries()) {
    const { advantages, ofOther } = baselineOf(rewards, rule);
    expect(expected[i]?.advantages).toHaveLength(rewards.length);
    for (const [place, advantage] of advantages.entries()) mustBeClose(advantage, expected[i]?.advantages[place]);
    for (const [place, reward] of others.entries()) mustBeClose(ofOther(reward), expected[i]?.others[place]);
  }
});

it('the comparison notices an advantage that is off by more than that', () => {
  expect(() => mustBeClose(1.00001, 1)).toThrow();
  expect(() => mustBeClose(0, null)).toThrow();
});
