import { describe, expect, it } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { attemptOf, type CallTokens, deadlineOf } from '../events.ts';
import { createTestLane } from '../harness.ts';
import { streamAudited } from './stream-audited.ts';

const of = attemptOf();
const termination = (...events: readonly StepEventInit[]) => streamAudited('termination', ...events);
const ended = (call: CallTokens, raw = 'task_complete') =>
  termination(of.start(), of.call(1, call), of.end(2, raw), of.verdict(1));

describe('why it ended', () => {
  it('passes where the facts agree, also of what was cut or ran into its limit (cases 73, 75)', () => {
    expect(ended({})).toMatchObject({ result: 'pass', said: [] });
    expect(ended({ finish_reason: 'stop' }, 'context_window_overflow').said).toEqual([]);
    expect(ended({ finish_reason: 'length' }, 'max_tokens_reached').said).toEqual([]);
  });

  it('passes a final answer that went over a limit of tokens: it was given (case 74)', () => {
    const limits = { max_tokens: 4 };
    expect(termination(of.start({}, { limits }), of.call(1), of.end(2), of.verdict(1)).said).toEqual([]);
  });

  it('fails where a call that says it ended was cut (case 71)', () => {
    const full = { sampled: [1, 2, 3, 4], sampling: { max_tokens: 4 }, finish_reason: 'tool_calls' };
    const { result, said, findings } = ended(full);
    expect(result).toBe('fail');
    expect(said).toEqual(['termination_conflict fail null null']);
    expect(findings[0]?.detail).toContain('used all the tokens it had');
  });

  it('fails where steps came after the end (case 113)', () => {
    const { said } = termination(of.start(), of.call(1), of.end(2), of.call(3), of.verdict(1));
    expect(said).toEqual(['steps_after_end fail null null']);
  });

  it('warns of a verifier that answers twice in two ways (case 103)', () => {
    const verdicts = [of.verdict(1), { ...of.verdict(0), event_id: 'again' }];
    const { said } = termination(of.start(), of.call(1), ...verdicts, of.end(2));
    expect(said).toEqual(['verifier_nondeterministic warn null null']);
  });

  it('warns of a verdict that did not run and gives a reward, once for all of them', () => {
    const crashed = { status: 'crash', rewards: { a: 0, b: 0 } } as const;
    const { said, findings } = termination(of.start(), of.call(1), of.verdict(null, crashed), of.end(2));
    expect(said).toEqual(['verdict_contradiction warn null null']);
    expect(findings[0]?.detail).toBe('scorer says crash, and gives a 0; scorer says crash, and gives b 0');
  });

  it('warns of a word that the taxonomy does not know, and says it', () => {
    const { said, findings } = ended({}, 'gave up');
    expect(said).toEqual(['unknown_reason warn null null']);
    expect(findings[0]?.detail).toContain('"gave up" of strands-env');
  });

  it('leaves calls without a result to the audit that knows their turns', () => {
    expect(ended({ tool_calls: [{ call_id: 'x' }] }).said).toEqual([]);
  });
});

it('of an attempt that was lost, the loss is why it ended; nobody needs to say more', () => {
  const lane = createTestLane({ audits: createStreamAudits() });
  lane.fold(of.start(), of.call(1));
  const [unit] = lane.state.units.keys();
  lane.fold(deadlineOf('idle', { unit: unit ?? '', unit_start: 0, rollout_id: 'r', saw: '1/2' }));
  const { decisions, audits } = lane.effects().rows;
  expect(decisions.map(({ reason_code }) => reason_code)).toEqual(['worker_lost']);
  expect(audits.find(({ audit }) => audit === 'termination')).toMatchObject({ result: 'pass', class: '' });
});
