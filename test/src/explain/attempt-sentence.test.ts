import { expect, it } from 'vitest';
import type { DecisionJson } from '../../../src/access/explanation.ts';
import { attemptSentence, type DecidedAttempt } from '../../../src/explain/attempt-sentence.ts';

/** Endings that an import cannot leave behind; those that it can are told by test/src/access/read-explanation.test.ts. */

const DECISION: DecisionJson = {
  ...{ purpose: 'train', env_name: 'calc', disposition: 'drop', reason_code: 'task_complete', reason_raw: 'done' },
  ...{ category: 'completion', finish_reason: 'stop', verifier_status: 'scored', why: ['task_complete'], rule: '' },
  ...{ conflicts: [], infra_share: null, policy_share: null, reward: 1, reward_valid: true, advantage: null },
  ...{
    in_loss: false,
    in_baseline: true,
    held: false,
    policy_id: 'p',
    weights_version_min: 'v1',
    weights_version_max: 'v1',
    lag: 4,
  },
  ...{ n_turns: 1, n_tokens: 4, n_sampled_tokens: 2, partition: 0, offset: 9 },
};

const ATTEMPT: DecidedAttempt = {
  ...{ attempt: 0, started: {}, decision: DECISION, closed_by: null, reward_parts: [], rewards: [], verdicts: [] },
  ...{ steps: [], step_faults: [], audits: [], trajectory: null },
  policy: {
    ...{ policy_id: 'p', name: 'mine', file: null, rules: [] },
    staleness: { max_lag: 2, over: 'drop', unknown: 'keep' },
  },
};

const ALONE = { group: null, attempts: [] };

function told(over: Partial<DecisionJson>, attempt: Partial<DecidedAttempt> = {}): string {
  return attemptSentence({ ...ATTEMPT, ...attempt, decision: { ...DECISION, ...over } }, ALONE);
}

it('stale: how far behind, and how far it may be', () => {
  expect(told({ why: ['stale', 'task_complete'], rule: 'staleness.over' })).toBe(
    'Dropped: the weights that sampled it are 4 versions behind, and the policy allows 2 (stale); it finished its task (task_complete); reward 1.',
  );
  const masked = { disposition: 'train_masked', why: ['stale', 'task_complete'], lag: 1 };
  expect(told(masked)).toMatch(/^Goes to the trainer, but out of the loss: the weights .* are 1 version behind/);
});

it('a finding of an audit: what was found, where it is, and that the reward is not believed', () => {
  const found = { disposition: 'quarantine', why: ['silent_repair', 'task_complete'], rule: 'findings.silent_repair' };
  const audits = [{ audit: 'tools', class: 'silent_repair', detail: 'turn 0: two braces added' }];
  expect(told(found, { audits })).toBe(
    'Quarantined: the call that ran is not the call that the model wrote (silent_repair: turn 0: two braces added), so its reward cannot be trusted.',
  );
});

it('retries that ended in different ways: each of them', () => {
  const earlier = [0, 1].map((attempt) => ({
    attempt,
    started: {},
    decision: { ...DECISION, disposition: 'retry', reason_code: attempt === 0 ? 'env_setup' : 'llm_error' },
  }));
  const last = { ...DECISION, reason_code: 'env_setup', why: ['env_setup', 'retries_exhausted'] };
  const attempts = [...earlier, { attempt: 2, started: {}, decision: last }];
  expect(attemptSentence({ ...ATTEMPT, attempt: 2, decision: last }, { group: null, attempts })).toBe(
    'Dropped: the sandbox did not start (env_setup), and it had been run 3 times (attempt 0: the sandbox did not start; attempt 1: the model could not be reached, or failed).',
  );
});

it('still open: what it waits for', () => {
  const open = (steps: readonly { kind: string }[]) =>
    attemptSentence({ ...ATTEMPT, decision: null, policy: null, steps }, ALONE);
  expect(open([{ kind: 'start' }])).toBe('Still open: 1 event so far, and no end event yet.');
  expect(open([{ kind: 'start' }, { kind: 'end' }])).toBe(
    'Still open: it has ended (2 events so far), and waits for a verdict.',
  );
});

it('never started: its events wait for their start', () => {
  const orphan = { ...ATTEMPT, decision: null, policy: null, started: null, step_faults: [{ kind: 'end' }] };
  expect(attemptSentence(orphan, ALONE)).toMatch(/^Never started: its start event has not come, and one event/);
});

it('refused at its start: why, and the group that it named', () => {
  const faults = [
    { kind: 'model_call', reason: 'orphan', reason_detail: 'no start event came in time', group_id: 'g' },
    {
      kind: 'start',
      reason: 'group_overfull',
      reason_detail: 'its group has as many members as its size',
      group_id: 'g',
    },
  ];
  const refused = { ...ATTEMPT, decision: null, policy: null, started: null, step_faults: faults };
  expect(attemptSentence(refused, ALONE)).toBe(
    'Never started: its start was refused, since its group has as many members as its size (group_overfull). The group that it named is g, and one event more could not be taken in.',
  );
});

it('held by the gate of its run: which limit, and how far over it', () => {
  const trained = { disposition: 'train', why: ['task_complete'], in_loss: true, held: true };
  const tripped = [{ limit: 'pipeline_drift', rate: 0.5, low: 0.25, high: 0.75, bound: 'max', bound_at: 0 }];
  const held = { state: 'hold', since: '2026-01-02T03:04:05.000Z', by: 'evaluator', why: { tripped } } as const;
  expect(told(trained, { held })).toMatch(
    / It is held: the gate of its run is closed since 2026-01-02T03:04:05\.000Z: pipeline_drift is 0\.5 \(95 %: 0\.25 to 0\.75\), at most 0 is allowed\.$/,
  );
  expect(told(trained, { held: { state: 'preflight', since: null, by: 'policy', why: null } })).toMatch(
    / It is held: the first trajectories of its run wait until the limits pass\.$/,
  );
});

it('a class that the gate quarantines: as a finding that the policy names', () => {
  const found = { disposition: 'quarantine', why: ['coerced', 'task_complete'], rule: 'gate.coerced' };
  expect(told(found)).toMatch(/^Quarantined: .*\(coerced\), so its reward cannot be trusted\.$/);
});
