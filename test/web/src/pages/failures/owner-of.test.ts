import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { classNames } from '../../../../../src/audit/class-words.ts';
import { ownerOf } from '../../../../../web/src/pages/failures/owner-of.ts';

/** What the policy, its environment or its verifier did, what nobody did, and what only the times say. */
const NOT_OF_HARNESS = [
  ...['bpe_split', 'normalizer', 'partial_utf8', 'special_spelling', 'control_token_sampled'],
  ...['malformed', 'unknown_tool', 'think_unclosed', 'truncated', 'environment_error', 'overrun', 'unknown_reason'],
  ...['verifier_nondeterministic', 'verdict_contradiction', 'reward_not_finite'],
  ...['clock_skew', 'overlap', 'wall_mismatch'],
];

it('whatever ended the loop, a laundered record is the harness’s and a missing verdict the verifier’s', () => {
  const owner = (reason: string, category = 'completion') => ownerOf({ reason, category });
  expect(owner('pipeline_drift')).toBe('harness');
  expect(owner('silent_repair', 'policy_failure')).toBe('harness');
  expect(owner('verifier_timeout', 'env_fault')).toBe('verifier');
  for (const reason of ['no_tokens', 'purpose', 'stale', 'malformed', 'task_complete'])
    expect(owner(reason), reason).toBe('completion');
  expect(owner('retry:env_crash', 'env_fault')).toBe('env');
  expect(owner('unknown', 'nonsense')).toBe('unknown');
});

it('of all classes of findings the page and both statements give the same ones to the harness', async () => {
  const ofPage = classNames().filter((reason) => ownerOf({ reason, category: 'completion' }) === 'harness');
  expect(ofPage.sort()).toEqual(
    classNames()
      .filter((name) => !NOT_OF_HARNESS.includes(name))
      .sort(),
  );
  for (const path of ['infra/clickhouse/queries/fault_owners.sql', 'web/src/pages/failures/rollouts-behind.sql']) {
    const [, listed = ''] = /\bwhy\[1\] IN \(\n([^)]+)\), 'harness'/.exec(await readFile(path, 'utf8')) ?? [];
    expect([...listed.matchAll(/'(\w+)'/g)].map(([, name]) => name).sort(), path).toEqual(ofPage);
  }
});
