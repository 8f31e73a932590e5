import { expect, it } from 'vitest';
import { answerOf, type Found } from '../../../processors/model/audit-summary.ts';
import { joinRendered } from '../../../src/audit/join-rendered.ts';

const found = (name: string, severity: Found['severity'], turn: number): Found => ({
  ...{ class: name, severity, turn, index: 0, detail: name },
});

it('a rendering adds what was not found without one, and the worse result counts', () => {
  const joined = joinRendered(answerOf([found('think_stripped', 'warn', 1)]), [found('system_missing', 'fail', 0)]);
  expect(joined.result).toBe('fail');
  expect(joined.findings.map(({ class: name }) => name)).toEqual(['think_stripped', 'system_missing']);
});

it('a class that a turn has already is told once', () => {
  const alone = answerOf([found('bos_duplicated', 'fail', 0)]);
  expect(joinRendered(alone, [found('bos_duplicated', 'fail', 0)])).toBe(alone);
  expect(joinRendered(alone, [found('bos_duplicated', 'fail', 2)]).findings).toHaveLength(2);
});
