import { expect, it } from 'vitest';
import type { ExplainedAttempt, Explanation, JsonRow } from '../../../src/access/explanation.ts';
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

const DECISION: JsonRow = {
  disposition: 'quarantine',
  reason_code: 'verifier_timeout',
  reason_raw: 'task_complete',
  category: 'verifier_fault',
  finish_reason: null,
  verifier_status: 'timeout',
  why: ['verifier_timeout', 'waits to be scored'],
  reward: null,
  reward_valid: false,
  advantage: null,
  in_loss: false,
  in_baseline: false,
  policy_id: '0123456789abcdef',
  n_turns: 2,
  n_tokens: 30,
  n_sampled_tokens: 12,
};

const ATTEMPT: ExplainedAttempt = {
  attempt: 0,
  started: STARTED,
  decision: DECISION,
  rewards: [{ component: 'exact.correct', value: null }],
  verdicts: [{ scorer: 'exact', scorer_version: '1', status: 'timeout', rewards: {}, late: false }],
  steps: [
    { seq: 0, kind: 'start', text: 'What is 1 + 1?', weights_version: 'step-9' },
    {
      seq: 1,
      kind: 'model_call',
      model: 'm',
      finish_reason: 'stop',
      'tool_calls.name': ['add'],
      'tool_calls.parse_status': ['malformed'],
    },
    {
      seq: 2,
      kind: 'tool_result',
      tool_name: 'add',
      status: 'tool_error',
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

function textOf(...attempts: Partial<ExplainedAttempt>[]): string {
  const explanation: Explanation = {
    rollout_id: 'add-0-3',
    rollouts: [{ run_id: 'run', epoch: 0, attempts: attempts.map((over) => ({ ...ATTEMPT, ...over })) }],
  };
  return explanationText(explanation);
}

it('keeps the three facts three: the loop, the engine, the verifier', () => {
  const text = textOf({});
  expect(text).toMatch(/^ {2}loop ended +task_complete$/m);
  expect(text).toMatch(/^ {2}engine +no finish reason$/m);
  expect(text).toMatch(/^ {2}verifier +timeout$/m);
});

it('shows every reason with its code and its own words, where the trajectory has them', () => {
  const text = textOf({ trajectory: unpackTrajectory(sampleTrajectory()) });
  expect(text).toContain('task_complete (strands-env said "task_complete")');
  expect(text).toContain('tokens not_auditable');
});

it('tells what was decided, null apart from 0, and why', () => {
  const text = textOf({});
  expect(text).toMatch(/^attempt 0: quarantine, verifier_timeout$/m);
  expect(text).toMatch(/^ {2}why +verifier_timeout, waits to be scored$/m);
  expect(text).toMatch(/^ {2}reward +null \(invalid\)$/m);
  expect(text).toMatch(/^ {2}reward part +exact\.correct = null$/m);
  expect(textOf({ decision: { ...DECISION, reward: 0, reward_valid: true } })).toMatch(/^ {2}reward +0$/m);
});

it('says what each step was, in order', () => {
  const text = textOf({});
  expect(text).toMatch(/^ {2}0 +start +weights step-9, "What is 1 \+ 1\?"$/m);
  expect(text).toMatch(/^ {2}1 +model_call +m, finish_reason stop, calls add \(malformed\)$/m);
  expect(text).toMatch(/^ {2}2 +tool_result +add, tool_error, error ValueError: no$/m);
  expect(text).toMatch(/^ +phase +verify, 1\.5 ms$/m);
  expect(text).toMatch(/^ {2}3 +end +strands-env said "task_complete"$/m);
});

it('counts repeats of an import instead of listing them', () => {
  const text = textOf({});
  expect(text).toMatch(/^ {2}not folded +2 events: duplicate$/m);
  expect(text).toMatch(/^ {2}not folded +one verdict: late \(closed before\)$/m);
});

it('tells an open attempt from one that never started', () => {
  expect(textOf({ decision: null })).toMatch(/^attempt 0: open$/m);
  expect(textOf({ decision: null, started: null })).toMatch(/^attempt 0: never started$/m);
});

it('lets no text of a rollout move the cursor', () => {
  const text = textOf({ decision: { ...DECISION, reason_raw: 'a\x1b[2Jb' } });
  expect(text).toContain('a\\x1b[2Jb');
});
