import { expect, it } from 'vitest';
import type {
  DecisionJson,
  DeliveryJson,
  ExplainedAttempt,
  Explanation,
  JsonRow,
} from '../../../src/access/explanation.ts';
import { explanationText } from '../../../src/cli/explanation-text.ts';
import { unpackTrajectory } from '../../../src/ready/unpack.ts';
import { sampleTrajectory } from '../ready/sample-trajectory.ts';

const STARTED: JsonRow = {
  task_id: 'add-two',
  env_name: 'calc',
  group_id: 'g',
  group_size: 8,
  source_format: 'strands-env',
  source_location: 'results.jsonl:3',
};

const DECISION: DecisionJson = {
  ...{ purpose: 'train', env_name: 'calc', disposition: 'quarantine', category: 'completion', group_size: 8 },
  ...{ reason_code: 'task_complete', reason_raw: 'task_complete', finish_reason: null, verifier_status: 'timeout' },
  ...{ why: ['verifier_timeout', 'task_complete'], rule: 'categories.completion', conflicts: [] },
  ...{ infra_share: null, policy_share: null, reward: null, reward_valid: false, advantage: null },
  ...{ in_loss: false, in_baseline: false, held: false, policy_id: '0123456789abcdef', partition: 0, offset: 9 },
  ...{
    weights_version_min: null,
    weights_version_max: null,
    lag: null,
    n_turns: 2,
    n_tokens: 30,
    n_sampled_tokens: 12,
  },
};

const ATTEMPT: ExplainedAttempt = {
  attempt: 0,
  summary: 'Quarantined, to be scored again.',
  would_train: ['a verdict that scores it'],
  started: STARTED,
  decision: DECISION,
  closed_by: { kind: 'verdict', deadline: null, rollout_id: 'add-0-3', partition: 0, offset: 9 },
  policy: {
    ...{ policy_id: '0123456789abcdef', name: 'mine', file: 'mine.yaml' },
    rules: [{ path: 'categories.completion', line: 12, text: 'completion: { disposition: train }' }],
    staleness: { max_lag: null, over: 'drop', unknown: 'keep' },
  },
  reward_parts: [{ name: 'correct', value: null, from: 'verifier exact 1, which gave no number' }],
  rewards: [],
  verdicts: [
    {
      ...{ scorer: 'exact', scorer_version: '1', status: 'timeout', rewards: {}, bound_to: null },
      ...{ late: false, standing: 'counts' },
    },
  ],
  steps: [
    { seq: 0, kind: 'start', text: 'What is 1 + 1?', weights_version: 'step-9' },
    {
      seq: 1,
      kind: 'model_call',
      model: 'm',
      finish_reason: '{"type":"stop","matched":7}',
      'tool_calls.name': ['add'],
      'tool_calls.parse_status': ['malformed'],
    },
    {
      seq: 2,
      kind: 'tool_result',
      tool_name: 'add',
      status: 'tool_error',
      has_error: true,
      error_type: 'ValueError',
      error_message: 'no',
    },
    { seq: -1, kind: 'phase', phase: 'verify', duration_us: 1_500 },
    { seq: 3, kind: 'end', 'reasons.raw': ['task_complete'], 'reasons.system': ['strands-env'] },
  ],
  step_faults: [
    { kind: 'start', reason: 'duplicate', reason_detail: '' },
    { kind: 'end', reason: 'duplicate', reason_detail: '' },
    { kind: 'verdict', reason: 'late', reason_detail: 'closed before', offset: 9 },
  ],
  audits: [],
  trajectory: null,
};

function textOf(over: Partial<ExplainedAttempt> = {}): string {
  const attempt = { ...ATTEMPT, ...over };
  const rollout = { run_id: 'run', epoch: 0, unit: 'u', summary: attempt.summary, group: null, attempts: [attempt] };
  const explanation: Explanation = { rollout_id: 'add-0-3', rollouts: [rollout] };
  return explanationText(explanation);
}

it('says first what became of it, then what would have made it train', () => {
  expect(textOf().split('\n').slice(0, 5)).toEqual([
    'run/add-0-3',
    'Quarantined, to be scored again.',
    '',
    'What would have made it train',
    '  - a verdict that scores it',
  ]);
  expect(textOf({ would_train: [] })).not.toContain('would have made it train');
});

it('says what became of what is ready in its run and in a fork of it, and nothing of what is not', () => {
  const decision = { ...DECISION, disposition: 'train', run_id: 'run' };
  expect(textOf({ decision })).toMatch(/^ {2}delivery +is queued: no trainer has taken it yet$/m);
  const delivery: DeliveryJson = {
    ...{ run_id: 'run', state: 'leased', recorded_state: 'leased', consumer: 't\u001b[31m', lineage: 0, step: null },
    ...{ reason: '', weights_version: '', lag: null, deliveries: 1, deadline: '2026-01-02 03:04:05.000' },
    ...{ taken_at: '2026-01-02 03:00:00.000', ran_out: false },
  };
  const expired = { ...delivery, run_id: 'run-b', state: 'expired', recorded_state: 'expired', reason: 'old' } as const;
  const text = textOf({ decision, deliveries: [delivery, expired] });
  expect(text).toMatch(/^ {2}delivery +is leased by .* until 2026-01-02 03:04:05\.000 UTC$/m);
  expect(text).not.toContain('\u001b[31m');
  expect(text).toMatch(/^ +in run-b, a fork, it expired before a trainer took it: old$/m);
  expect(textOf()).not.toMatch(/^ {2}delivery/m);
});

it('keeps the three facts three: the loop, the engine, the verifier', () => {
  const text = textOf();
  expect(text).toMatch(/^ {2}loop ended +task_complete$/m);
  expect(text).toMatch(/^ {2}engine +no finish reason for the last call$/m);
  expect(text).toMatch(/^ {2}verifier +exact 1 ran out of time \(timeout\)$/m);
});

it('shows every reason with its code in words, whose doing it was, and what came after the end', () => {
  const [reason] = sampleTrajectory().reasons;
  if (reason === undefined) throw new Error('the sample has no reason');
  const reasons = [
    reason,
    { ...reason, code: 'tool_timeout', category: 'env_fault', raw: 'late', attribution: 'unknown', after_end: true },
  ];
  const text = textOf({ trajectory: unpackTrajectory(sampleTrajectory({ reasons })) });
  expect(text).toContain('strands-env said "task_complete" → task_complete (completion): it finished its task');
  expect(text).toMatch(
    /tool_timeout \(env_fault\): a tool took too long; the events do not say whose doing; after the loop had ended/,
  );
});

it('tells what was decided, null apart from 0, and the rule with its line', () => {
  const text = textOf();
  expect(text).toMatch(
    /^ {2}decided +quarantine, because verifier_timeout, task_complete; not in the loss, in no baseline$/m,
  );
  expect(text).toMatch(/^ {2}decided by +the verdict event of add-0-3 \(offset 9\)$/m);
  expect(text).toMatch(
    /^ {2}reward +none \(null, which is not 0\): a part of it is missing\n +correct = null, by verifier exact 1/m,
  );
  expect(text).toMatch(
    /^ {2}policy rule +mine\.yaml:12 {2}under categories, policy mine \(0123456789ab\)\n +completion: \{/m,
  );
  const scored = textOf({ decision: { ...DECISION, reward: 0, reward_valid: true }, reward_parts: [] });
  expect(scored).toMatch(/^ {2}reward +0$/m);
});

it('a policy that the store does not hold is named by its id, and nothing is quoted', () => {
  expect(textOf({ policy: null })).toMatch(
    /^ {2}policy +0123456789ab, whose text the store does not hold; categories\.completion$/m,
  );
});

it('how old the weights are: unknown is not the newest', () => {
  expect(textOf()).toMatch(/^ {2}weights +not named, or not announced; the policy sets no limit$/m);
  const decision = { ...DECISION, weights_version_min: 'v1', weights_version_max: 'v2' };
  expect(textOf({ decision })).toMatch(/^ {2}weights +v1 to v2, not announced, so how old they are is unknown/m);
  expect(textOf({ decision: { ...decision, lag: 3 } })).toMatch(/^ {2}weights +v1 to v2, 3 behind the newest/m);
  expect(textOf({ decision: { ...decision, lag: 0 } })).toMatch(/^ {2}weights +v1 to v2, the newest/m);
});

it('the last error of what does not train, and where it is', () => {
  expect(textOf()).toMatch(/^ {2}last error +ValueError: no \(tool_result add, seq 2\)$/m);
  expect(textOf({ decision: { ...DECISION, in_loss: true } })).not.toContain('last error');
});

it("says what each step was, in order; of an engine's object its type", () => {
  const text = textOf();
  expect(text).toMatch(/^ {2}0 +start +weights step-9, "What is 1 \+ 1\?"$/m);
  expect(text).toMatch(/^ {2}1 +model_call +m, finish_reason stop, calls add \(malformed\)$/m);
  expect(text).toMatch(/^ {2}2 +tool_result +add, tool_error, error ValueError: no$/m);
  expect(text).toMatch(/^ +phase +verify, 1\.5 ms$/m);
  expect(text).toMatch(/^ {2}3 +end +strands-env said "task_complete"$/m);
});

it('counts repeats of an import instead of listing them', () => {
  const text = textOf();
  expect(text).toMatch(/^ {2}not taken in +2 events: duplicate$/m);
  expect(text).toMatch(/^ {2}not taken in +one verdict: late \(closed before\)$/m);
});

it('an open attempt shows what has come, and nothing decided', () => {
  const text = textOf({ decision: null, policy: null, closed_by: null, reward_parts: [], verdicts: [] });
  expect(text).toMatch(/^ {2}0 +start /m);
  expect(text).not.toMatch(/^ {2}(?:reward|decided|policy|loop ended) /m);
});

it('lets no text of a rollout move the cursor', () => {
  const text = textOf({ decision: { ...DECISION, reason_raw: 'a\x1b[2Jb' }, summary: 'x\x1b[2J' });
  expect(text).toContain('a\\x1b[2Jb');
  expect(text).not.toContain('\x1b');
});
