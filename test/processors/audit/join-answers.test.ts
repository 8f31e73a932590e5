import { expect, it } from 'vitest';
import { joinAnswers } from '../../../processors/audit/join-answers.ts';
import type { AuditAnswer, AuditName, Found } from '../../../processors/model/audit-summary.ts';
import { auditedBy, notAuditable } from '../../../processors/model/audit-summary.ts';

const found = (name: string, severity: Found['severity'], index: number | null = null): Found => ({
  ...{ class: name, severity, turn: 0, index, detail: name },
});
const answer = (result: AuditAnswer['result'], ...findings: Found[]): AuditAnswer => ({
  result,
  findings,
  missing: null,
});
const lane = (one: AuditAnswer, name: AuditName = 'tokens') =>
  auditedBy((audit) => (audit === name ? one : notAuditable('a tokenizer')));

it('a tokenizer stands where the lane could not look', () => {
  const joined = joinAnswers(lane(answer('pass')), { template: answer('pass') });
  expect(joined.summary).toMatchObject({ tokens: 'pass', template: 'pass', reencode: 'not_auditable' });
  expect(Object.keys(joined.missing)).not.toContain('template');
});

it('both looked: findings add up, and the worse result counts', () => {
  const joined = joinAnswers(lane(answer('warn', found('history_rewritten', 'warn', 3))), {
    tokens: answer('fail', found('pipeline_drift', 'fail', 9)),
  });
  expect(joined.summary.tokens).toBe('fail');
  expect(joined.findings.map((finding) => finding.class)).toEqual(['history_rewritten', 'pipeline_drift']);
});

it('one place is told once, by who knows more of it', () => {
  const joined = joinAnswers(lane(answer('fail', found('pipeline_drift', 'fail', 9))), {
    tokens: answer('fail', { ...found('pipeline_drift', 'fail', 9), detail: 'retokenized' }),
  });
  expect(joined.findings.map(({ detail }) => detail)).toEqual(['retokenized']);
});

it('what was found by who could not look at all is no pass', () => {
  const unproved = { ...notAuditable('raw text'), findings: [found('unanswered_call', 'warn')] };
  expect(joinAnswers(lane(unproved, 'tools'), { tools: answer('pass') }).summary.tools).toBe('warn');
});

it('a refusal takes nothing away from what the lane has proved', () => {
  const joined = joinAnswers(lane(answer('pass')), { tokens: notAuditable('another tokenizer') });
  expect({ result: joined.summary.tokens, missing: joined.missing.tokens }).toEqual({
    result: 'pass',
    missing: undefined,
  });
});

it('whether all token ids are there the lane alone can tell', () => {
  const joined = joinAnswers(lane(notAuditable('1 of 3 calls has no token ids')), { tokens: answer('pass') });
  expect(joined.summary.tokens).toBe('not_auditable');
});

it('calls without token ids are not made auditable by what a tokenizer says of the others', () => {
  const joined = joinAnswers(lane(notAuditable('1 of 2 calls have no token ids')), { tokens: answer('pass') });
  expect({ result: joined.summary.tokens, missing: joined.missing.tokens }).toEqual({
    result: 'not_auditable',
    missing: '1 of 2 calls have no token ids',
  });
});
