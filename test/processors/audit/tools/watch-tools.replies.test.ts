import { describe, expect, it } from 'vitest';
import { auditSteps, hermes, listed, ran, says } from './tool-events.ts';

const JSON_REPLIES = { parser: 'terminus-2/json' };
const reply = (keystrokes: string) =>
  JSON.stringify({ analysis: 'a', plan: 'p', commands: [{ keystrokes, duration: 1 }] });
const BROKEN = reply('ls\n').slice(0, -1);
const CANNOT_READ = { message: 'Previous response had parsing errors:\nERROR: Invalid JSON' };
const MENDED = {
  message: 'Previous response had warnings:\nWARNINGS: - AUTO-CORRECTED: Fixed incomplete JSON\n\n$ ls',
};
const SHOWN = { message: '$ ls' };
const QUIET = says(JSON.stringify({ analysis: 'a', plan: 'p', commands: [] }));

describe('replies that a loop reads whole, by the parser that the start names', () => {
  it('that could not be read and were told so are malformed, and that is all', () => {
    const { found, result } = auditSteps([says(BROKEN), CANNOT_READ, QUIET], JSON_REPLIES);
    expect(found).toEqual([['malformed', 0, BROKEN.length]]);
    expect(result).toBe('warn');
  });

  it('that were mended and run are silent repairs, with what the model was shown for evidence', () => {
    const { classes, findings, result } = auditSteps([says(BROKEN), MENDED, QUIET], JSON_REPLIES);
    expect(classes).toEqual(['malformed', 'silent_repair']);
    expect(findings[1]).toMatchObject({
      ...{ severity: 'fail', turn: 0 },
      evidence: { text: expect.stringContaining('AUTO-CORRECTED'), expectedText: BROKEN },
    });
    expect(result).toBe('fail');
  });

  it('that could not be read, with nothing that says so, were not fed back', () => {
    expect(auditSteps([says(BROKEN), SHOWN, QUIET], JSON_REPLIES).classes).toEqual([
      'malformed',
      'malformed_not_fed_back',
    ]);
  });

  it('that are no JSON at all are malformed', () => {
    expect(auditSteps([says('I am done.'), CANNOT_READ, QUIET], JSON_REPLIES).found).toEqual([['malformed', 0, 0]]);
  });

  it('that can be read prove nothing of what ran, where no calls are listed', () => {
    expect(auditSteps([says(reply('ls\n')), SHOWN, QUIET], JSON_REPLIES)).toMatchObject({
      ...{ result: 'not_auditable', missing: 'no list of the calls that ran (model call 0)', classes: [] },
    });
    expect(auditSteps([QUIET, SHOWN, QUIET], JSON_REPLIES)).toMatchObject({ result: 'pass', classes: [] });
  });

  it('are compared with the calls, where they are listed', () => {
    const calls = [listed('c', 'bash_command', { keystrokes: 'rm\n', duration: 1 })];
    const { classes } = auditSteps(
      [says(reply('ls\n'), calls), ran('c', 'bash_command', undefined), QUIET],
      JSON_REPLIES,
    );
    expect(classes).toContain('silent_repair');
  });
});

describe('other replies', () => {
  it('are not read so where nobody named that parser, or one that nobody knows', () => {
    expect(auditSteps([says('I am done.')])).toMatchObject({ result: 'pass', classes: [] });
    expect(auditSteps([says('I am done.')], { parser: 'terminus-2/markdown' }).classes).toEqual([]);
  });

  it('in a dialect of their own are lost as before: the list is all that the loop took', () => {
    const call = hermes('{"name": "f", "arguments": {}}');
    expect(auditSteps([says(call), says('done')]).classes).toEqual(['parser_loss']);
  });

  it('prove nothing of what ran, where what the loop made of them is not recorded', () => {
    const call = hermes('{"name": "f", "arguments": {}}');
    expect(auditSteps([says(call), says('done')], { listsCalls: false })).toMatchObject({
      ...{ result: 'not_auditable', missing: 'no list of the calls that ran (model call 0)', classes: [] },
    });
    expect(auditSteps([says('no call'), says('done')], { listsCalls: false })).toMatchObject({ result: 'pass' });
  });

  it('are compared with the calls of a turn that lists them all the same', () => {
    const call = hermes('{"name": "f", "arguments": {"a": 1}}');
    const { classes } = auditSteps([says(call, [listed('c', 'f', { a: 2 })]), says('done')], { listsCalls: false });
    expect(classes).toContain('silent_repair');
  });

  it('are not mended by a message that merely says so', () => {
    const { classes } = auditSteps([says(hermes('{"name": "f"')), MENDED, says('done')]);
    expect(classes).toEqual(['malformed']);
  });
});
