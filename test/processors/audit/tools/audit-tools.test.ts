import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfText } from '../../../../processors/model/text-bytes.ts';
import { auditSteps, hermes, listed, ran, says } from './tool-events.ts';

const goesOn = says('So it is.', []);

describe('with the text of each call', () => {
  it('a call drafted in a thought and executed beside the real one (case 47)', () => {
    const text = `<think>\nlet me call A ${hermes('{"name":"A","arguments":{}}')}\n</think>\n${hermes('{"name":"A","arguments":{}}')}`;
    const calls = [listed('0', 'A', {}), listed('1', 'A', {})];
    const audit = auditSteps([says(text, calls), ran('0', 'A', {}), ran('1', 'A', {}), goesOn]);
    expect(audit).toMatchObject({ result: 'fail', found: [['think_call_executed', 0, text.indexOf('<tool_call>')]] });
    const unlisted = auditSteps([says(text), ran('0', 'A', {}), ran('1', 'A', {}), goesOn]);
    expect(unlisted).toMatchObject({ result: 'fail', classes: ['think_call_executed'] });
    const real = auditSteps([says(text, [listed('0', 'A', {})]), ran('0', 'A', {}), goesOn]);
    expect(real).toMatchObject({ result: 'pass', found: [] });
  });

  it('a draft that was executed in the place of the real call: the one is a draft, the other is lost', () => {
    const text = `${hermes('{"name":"A","arguments":{"x":1}}')}</think>${hermes('{"name":"A","arguments":{"x":2}}')}`;
    const audit = auditSteps([says(text, [listed('0', 'A', { x: 1 })]), ran('0', 'A', { x: 1 }), goesOn]);
    expect(audit.classes).toEqual(['think_call_executed', 'parser_loss']);
  });

  it('a thought without an end has no calls; where it was cut by length nobody is to blame (case 51)', () => {
    const text = `<think>\nplan… ${hermes('{"name":"A","arguments":{}}')}`;
    expect(auditSteps([says(text)])).toMatchObject({ result: 'warn', found: [['think_unclosed', 0, null]] });
    expect(auditSteps([says(text, [], { finish_reason: 'length' })])).toMatchObject({ result: 'pass' });
    const unsaid = [says(text, [], { finish_reason: null })];
    expect(auditSteps(unsaid, { raw: 'max_tokens_reached' })).toMatchObject({ result: 'pass' });
    expect(auditSteps(unsaid).classes).toEqual(['think_unclosed']);
    const executed = auditSteps([says(text, [listed('0', 'A', {})]), ran('0', 'A', {})]);
    expect(executed.classes).toEqual(['think_unclosed', 'think_call_executed']);
  });

  it('two calls in one block: executing one of them is a repair (case 53)', () => {
    const text = hermes('{"name":"a","arguments":{}}\n{"name":"b","arguments":{}}');
    const audit = auditSteps([says(text, [listed('0', 'a', {})]), ran('0', 'a', {}), goesOn]);
    expect(audit.found).toEqual([
      ['malformed', 0, text.indexOf('{"name":"b"')],
      ['silent_repair', 0, 0],
      ['malformed_not_fed_back', 0, 0],
    ]);
    expect(audit.findings[0]?.detail).toContain('extra_data');
  });

  it('a source that keeps to itself what the model was shown is not blamed for what it may have said', () => {
    const text = hermes('{"name":"run","arguments":{"command":"ls",}}');
    expect(auditSteps([says(text), goesOn]).classes).toEqual(['malformed']);
    const shown = auditSteps([says('Once more.', []), says(text), ran('0', 'run', {}), goesOn]);
    expect(shown.classes).toContain('malformed_not_fed_back');
  });

  it('a trailing comma that somebody took away, or took the arguments with (case 54)', () => {
    const text = hermes('{"name":"run","arguments":{"command":"ls",}}');
    const full = auditSteps([
      says(text, [listed('0', 'run', { command: 'ls' })]),
      ran('0', 'run', { command: 'ls' }),
      goesOn,
    ]);
    expect(full.classes).toEqual(['malformed', 'silent_repair', 'malformed_not_fed_back']);
    const empty = auditSteps([says(text, [listed('0', 'run', {})]), ran('0', 'run', {}), goesOn]);
    expect(empty.classes).toEqual(['malformed', 'args_lost', 'malformed_not_fed_back']);
    // strands has no executed arguments: what its list says, and that the tool answered, is all there is.
    const unsaid = auditSteps([
      says(text, [listed('0', 'run', { command: 'ls' })]),
      ran('0', 'run', undefined),
      goesOn,
    ]);
    expect(unsaid.classes).toEqual(['malformed', 'silent_repair', 'malformed_not_fed_back']);
    expect(unsaid.findings[1]?.evidence).toMatchObject({ text: '{"command":"ls"}', expectedText: text });
  });

  it('a malformed call that was refused, and the model told so, is the policy’s own doing (case 62)', () => {
    const text = hermes("{'name': 'a', 'arguments': {}}");
    const refused = ran('0', 'a', undefined, { status: 'tool_error', text: 'Error: not a call' });
    expect(
      auditSteps([says(text, [listed('0', 'a', {}, { parse_status: 'malformed' })]), refused, goesOn]),
    ).toMatchObject({
      ...{ result: 'warn', classes: ['malformed'] },
    });
    expect(auditSteps([says(text), { message: 'Your call is invalid JSON. Try again.' }, goesOn]).classes).toEqual([
      'malformed',
    ]);
    expect(auditSteps([says(text), { message: 'Go on.' }, goesOn])).toMatchObject({
      ...{ result: 'fail', classes: ['malformed', 'malformed_not_fed_back'] },
    });
    // Nothing was shown to the model any more.
    expect(auditSteps([says(text)]).classes).toEqual(['malformed']);
  });

  it('a call cut by length is not malformed by the policy; executed it is a repair (case 55)', () => {
    const text = '<tool_call>{"name":"run","arguments":{"command":"mkdir -p test/{a,b"';
    const cut = { finish_reason: '{"type":"length","length":40}' };
    expect(auditSteps([says(text, [], cut)])).toMatchObject({ result: 'warn', found: [['truncated', 0, 0]] });
    const call = listed('0', 'run', { command: 'mkdir -p test/{a,b' });
    const audit = auditSteps([says(text, [call], cut), ran('0', 'run', { command: 'mkdir -p test/{a,b' }), goesOn]);
    expect(audit.classes).toEqual(['truncated', 'silent_repair']);
    const full = { finish_reason: 'tool_calls', sampling: { max_tokens: 3 } };
    expect(auditSteps([says(text, [], full)]).classes, 'an engine that says tool_calls (case 71)').toEqual([
      'truncated',
    ]);
    expect(auditSteps([says(text, [], { finish_reason: null })], { raw: 'max_tokens_reached' }).classes).toEqual([
      'truncated',
    ]);
    expect(auditSteps([says(text, [], { finish_reason: null })]).classes).toEqual(['malformed']);
  });

  it('a missing closing tag with stop is malformed, and executed it is a repair (case 57)', () => {
    const text = '<tool_call>{"name":"a","arguments":{"x":1}}';
    expect(auditSteps([says(text)]).found).toEqual([['malformed', 0, 43]]);
    const audit = auditSteps([says(text, [listed('0', 'a', { x: 1 })]), ran('0', 'a', { x: 1 }), goesOn]);
    expect(audit.classes).toEqual(['malformed', 'silent_repair', 'malformed_not_fed_back']);
  });

  it('arguments that became {} are lost; a call without arguments is fine (case 58)', () => {
    const broken = hermes('{"name":"w","arguments":{"path": "/tmp/x", "content": "abc');
    expect(auditSteps([says(broken, [listed('0', 'w', {})]), ran('0', 'w', {})]).classes).toEqual([
      'malformed',
      'args_lost',
    ]);
    const none = hermes('{"name":"w","arguments":{}}');
    expect(auditSteps([says(none, [listed('0', 'w', {})]), ran('0', 'w', {})])).toMatchObject({
      result: 'pass',
      found: [],
    });
    const bare = hermes('{"name":"w"}');
    expect(auditSteps([says(bare, [listed('0', 'w', {})]), ran('0', 'w', {})])).toMatchObject({ result: 'pass' });
    const other = hermes('{"name":"w","parameters":{"e":1}}');
    expect(auditSteps([says(other, [listed('0', 'w', {})]), ran('0', 'w', {})]).classes).toEqual([
      'malformed',
      'args_lost',
    ]);
    const text = hermes('{"name":"w","arguments":"{\\"e\\":\\"1\\"}"}');
    expect(auditSteps([says(text, [listed('0', 'w', {})]), ran('0', 'w', {})]).classes).toEqual([
      'malformed',
      'args_lost',
    ]);
  });

  it('an unknown tool is named, its neighbour is not (case 65)', () => {
    const text = hermes('{"name":"Read","arguments":{}}', '{"name":"View","arguments":{}}');
    const tools = [{ type: 'function', function: { name: 'View' } }];
    const audit = auditSteps([says(text, [listed('1', 'View', {})]), ran('1', 'View', {}), goesOn], { tools });
    expect(audit).toMatchObject({ result: 'warn', found: [['unknown_tool', 0, 0]] });
    expect(auditSteps([says(text, [listed('1', 'View', {})]), ran('1', 'View', {}), goesOn]).classes).toEqual([
      'parser_loss',
    ]);
  });

  it('a parser that drops a call, or its arguments (case 66)', () => {
    const text = hermes('{"name":"gw","arguments":{"c":"A"}}', '{"name":"gw","arguments":{"c":"B"}}');
    const second = text.lastIndexOf('<tool_call>');
    const emptied = [listed('0', 'gw', { c: 'A' }), listed('1', 'gw', {})];
    expect(auditSteps([says(text, emptied), ran('0', 'gw', { c: 'A' }), ran('1', 'gw', {}), goesOn])).toMatchObject({
      ...{ result: 'fail', found: [['parser_loss', 0, second]] },
    });
    const dropped = [listed('0', 'gw', { c: 'A' })];
    const audit = auditSteps([says(text, dropped), ran('0', 'gw', { c: 'A' }), goesOn]);
    expect(audit).toMatchObject({ result: 'fail', found: [['parser_loss', 0, second]] });
    expect(audit.findings[0]?.evidence).toEqual({ expectedText: '{"c":"B"}' });
  });

  it('a number that became a text is coerced, with the path and both values (case 67)', () => {
    const text = hermes('{"name":"a","arguments":{"o":{"n":[1,123]}}}');
    const audit = auditSteps([says(text, [listed('0', 'a', { o: { n: [1, '123'] } })]), goesOn]);
    expect(audit.found).toContainEqual(['argument_coerced', 0, 0]);
    expect(audit.findings[0]).toMatchObject({
      ...{ severity: 'fail', evidence: { text: '"123"', expectedText: '123' } },
      detail: 'call 0 (a): o.n[1] is 123 in the text and "123" in the loop\'s list'.replace('call 0', '0'),
    });
    const late = auditSteps([
      ...[says(text, [listed('0', 'a', { o: { n: [1, 123] } })]), ran('0', 'a', { o: { n: [1, '123'] } }), goesOn],
    ]);
    expect(late.found).toEqual([['argument_coerced', 0, 0]]);
  });

  it('another value that ran is another call, and so is another tool; a namespace before its name is not', () => {
    const text = hermes('{"name":"calculator","arguments":{"expression":"20 - 3.40"}}');
    const call = listed('0', 'calculator', { expression: '20 - 3.40' });
    const other = auditSteps([says(text, [call]), ran('0', 'calculator', { expression: '1 + 1' }), goesOn]);
    expect(other).toMatchObject({ result: 'fail', found: [['silent_repair', 0, 0]] });
    expect(other.findings[0]?.detail).toContain('expression is "20 - 3.40" in the text and "1 + 1" as executed');
    const named = (name: string) =>
      auditSteps([says(text, [call]), ran('0', name, { expression: '20 - 3.40' }), goesOn]).classes;
    expect(named('rm_rf')).toEqual(['silent_repair']);
    expect(named('my_other_calculators')).toEqual(['silent_repair']);
    for (const same of ['calculator', 'functions.calculator', 'mcp__math__calculator', 'math/Calculator'])
      expect(named(same)).toEqual([]);
  });

  it('nearly the same value warns: a lost line break (case 23), a rounded number', () => {
    const text = '<function=write><parameter=content>DIRECT_OK\n</parameter></function>';
    expect(
      auditSteps([says(text, [listed('0', 'write', { content: 'DIRECT_OK' })]), ran('0', 'write', undefined)]),
    ).toMatchObject({
      ...{ result: 'warn', found: [['coerced', 0, 0]] },
    });
    const large = hermes('{"name":"a","arguments":{"n":9007199254740993}}');
    const call = listed('0', 'a', undefined, { arguments_parsed: '{"n":9007199254740992}' });
    expect(auditSteps([says(large, [call]), ran('0', 'a', undefined)]).classes).toEqual(['coerced']);
    const exact = listed('0', 'a', undefined, { arguments_parsed: '{"n":9007199254740993}' });
    expect(auditSteps([says(large, [exact]), ran('0', 'a', undefined)]).classes).toEqual([]);
  });

  it('text around a call is no call, and is nobody’s loss here (case 22)', () => {
    const text = `Let me see. ${hermes('{"name":"a","arguments":{}}')} done.`;
    expect(auditSteps([says(text, [listed('0', 'a', {})]), ran('0', 'a', {}), goesOn])).toMatchObject({
      result: 'pass',
    });
  });

  it('values without a type may be executed as either (Qwen XML, GLM)', () => {
    const xml =
      '<tool_call>\n<function=f>\n<parameter=n>\n123\n</parameter>\n<parameter=b>\nTrue\n</parameter>\n</function>\n</tool_call>';
    for (const executed of [
      { n: 123, b: true },
      { n: '123', b: 'True' },
    ])
      expect(auditSteps([says(xml, [listed('0', 'f', executed)]), ran('0', 'f', executed)])).toMatchObject({
        found: [],
      });
    expect(auditSteps([says(xml, [listed('0', 'f', { n: 124, b: true })]), ran('0', 'f', undefined)]).classes).toEqual([
      'silent_repair',
    ]);
    expect(auditSteps([says(xml, [listed('0', 'f', { n: 123 })]), ran('0', 'f', undefined)]).classes).toEqual([
      'parser_loss',
    ]);
  });

  it('a result that comes twice, a call executed again with other arguments, a call of nobody (case 69)', () => {
    const text = hermes('{"name":"a","arguments":{"x":1}}');
    const call = says(text, [listed('0', 'a', { x: 1 })]);
    expect(auditSteps([call, ran('0', 'a', { x: 1 }), ran('0', 'a', { x: 1 }), goesOn]).classes).toEqual([
      'duplicate_tool_event',
    ]);
    expect(auditSteps([call, ran('0', 'a', { x: 1 }), ran('0', 'a', { x: 2 }), goesOn]).classes).toEqual([
      'executed_without_call',
    ]);
    expect(auditSteps([call, ran('0', 'a', { x: 1 }), ran('7', 'b', {}), goesOn]).classes).toEqual([
      'executed_without_call',
    ]);
    const twice = says(text, [listed('0', 'a', { x: 1 }), listed('0', 'a', { x: 1 })]);
    expect(auditSteps([twice, ran('0', 'a', { x: 1 }), ran('0', 'a', { x: 1 })]).classes).toContain(
      'duplicate_tool_event',
    );
  });

  it('the same error whatever was asked is the environment’s, at any rate of it (case 70)', () => {
    const steps = Array.from({ length: 10 }, (_, i) => [
      says(hermes(`{"name":"a","arguments":{"x":${i}}}`), [listed(`${i}`, 'a', { x: i })]),
      ran(`${i}`, 'a', { x: i }, { text: i < 6 ? 'UnknownError' : `${i}` }),
    ]).flat();
    const audit = auditSteps([...steps, goesOn]);
    expect(audit).toMatchObject({ result: 'warn', found: [['environment_error', 0, null]] });
    expect(audit.findings[0]?.detail).toBe('6 of 10 tool results are the same error, whatever was asked');
    const stuck = Array.from({ length: 4 }, () => [
      says(hermes('{"name":"a","arguments":{"x":1}}'), [listed('0', 'a', { x: 1 })]),
      ran('0', 'a', { x: 1 }, { text: 'UnknownError' }),
    ]).flat();
    expect(auditSteps(stuck), 'the same call again is the policy’s own').toMatchObject({ result: 'pass' });
    const call = says(hermes('{"name":"a","arguments":{}}'), [listed('0', 'a', {})]);
    expect(auditSteps([call, ran('0', 'a', {}, { status: 'sandbox_error' })]).classes).toEqual(['environment_error']);
  });

  it('calls that nobody answered are told with their turn and id', () => {
    const text = hermes('{"name":"a","arguments":{"x":1}}', '{"name":"a","arguments":{"x":2}}');
    const calls = [listed('c0', 'a', { x: 1 }), listed('c1', 'a', { x: 2 })];
    const none = auditSteps([says(text, calls)]);
    expect(none.found).toEqual([
      ['unanswered_call', 0, null],
      ['unanswered_call', 0, null],
    ]);
    expect(none.findings.map(({ detail }) => detail)).toEqual([
      'c0: no result came for it',
      'c1: no result came for it',
    ]);
    const one = auditSteps([says(text, calls), ran('c0', 'a', { x: 1 }), goesOn]);
    expect(one.classes).toEqual(['unanswered_call', 'call_not_executed']);
  });
});

describe('without the text of the calls', () => {
  it('arguments as the source says they were written are the record', () => {
    const raw = (text: string) => ({ arguments_raw: bytesOfText(text) });
    const proved = [says(null, [listed('0', 'a', { x: 1 }, raw('{"x": 1}'))]), ran('0', 'a', { x: 1 })];
    expect(auditSteps(proved)).toMatchObject({ result: 'pass', missing: null });
    const mended = [says(null, [listed('0', 'a', { x: 1 }, raw('{"x": 1,}'))]), ran('0', 'a', { x: 1 })];
    expect(auditSteps(mended)).toMatchObject({ result: 'fail', classes: ['malformed', 'silent_repair'] });
    const emptied = [says(null, [listed('0', 'a', {}, raw('{"path": "/tmp/x", "content": "abc'))]), ran('0', 'a', {})];
    expect(auditSteps(emptied).classes).toEqual(['malformed', 'args_lost']);
    const late = [says(null, [listed('0', 'a', { n: 1 }, raw('{"n":1}'))]), ran('0', 'a', { n: '1' })];
    expect(auditSteps(late).classes).toEqual(['argument_coerced']);
    const unfollowed = [says(null, [listed('0', 'a', undefined, raw('{"n":1}'))]), ran('0', 'a', undefined)];
    expect(auditSteps(unfollowed)).toMatchObject({
      ...{
        result: 'not_auditable',
        missing: 'no raw text of tool calls, and no arguments as they were executed (model call 0)',
      },
    });
  });

  it('without both nothing is proved, and it says so; a text without calls proves that there are none', () => {
    const parsed = [says(null, [listed('0', 'a', { x: 1 })]), ran('0', 'a', { x: 1 })];
    expect(auditSteps(parsed)).toMatchObject({
      ...{
        result: 'not_auditable',
        missing: 'no raw text of tool calls, and no raw arguments (model call 0)',
        found: [],
      },
    });
    expect(auditSteps([says(null), says(null)])).toMatchObject({
      ...{ result: 'not_auditable', missing: 'no raw text of model calls (model call 0 and 1 more)' },
    });
    expect(auditSteps([])).toMatchObject({ result: 'not_auditable', missing: 'no model call' });
    expect(auditSteps([says('Hello.')])).toMatchObject({ result: 'pass' });
  });

  it('the loop’s own word for a repair or a thought is taken', () => {
    const repaired = [says(null, [listed('0', 'a', {}, { parse_status: 'repaired' })]), ran('0', 'a', {})];
    expect(auditSteps(repaired)).toMatchObject({ result: 'fail', classes: ['silent_repair'] });
    const drafted = [says(null, [listed('0', 'a', {}, { parse_status: 'in_think' })]), ran('0', 'a', {})];
    expect(auditSteps(drafted)).toMatchObject({ result: 'fail', classes: ['think_call_executed'] });
  });

  it('what was executed is kept for whoever can decode the tokens, within bounds', () => {
    const { watch } = auditSteps([says(null, [listed('0', 'a', { x: 1 })]), ran('0', 'a', { x: 1 }), says(null)]);
    expect(watch?.executed).toEqual([
      { turn: 0, calls: [{ callId: '0', name: 'a', parsed: '{"x":1}', executed: '{"x":1}', status: 'ok' }] },
      { turn: 1, calls: [] },
    ]);
    const large = auditSteps([says(null, [listed('0', 'a', { x: 'y'.repeat(20_000) })]), says(null)]);
    expect(large.watch?.executed.map(({ turn }) => turn)).toEqual([1]);
  });
});

it('findings are bounded, and all are counted', () => {
  const audit = auditSteps([
    says(hermes(...Array.from({ length: 500 }, () => '{"name":"a",}'))),
    { message: 'Go on.' },
    says('ok'),
  ]);
  expect(audit.findings).toHaveLength(65);
  expect(audit.findings.at(-1)).toMatchObject({ class: 'more_findings', severity: 'fail' });
  expect(audit.findings.at(-1)?.detail).toContain('436 × malformed, 32 × malformed_not_fed_back');
});

it('calls that are executed as they were written are never found fault with', () => {
  const anyArguments = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
  fc.assert(
    fc.property(fc.array(anyArguments, { minLength: 1, maxLength: 4 }), fc.boolean(), (calls, isKimi) => {
      const body = (json: string, i: number) =>
        `<|tool_call_begin|>functions.f:${i}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
      const jsons = calls.map((value) => JSON.stringify(value));
      const text = isKimi
        ? `<|tool_calls_section_begin|>${jsons.map(body).join('')}<|tool_calls_section_end|>`
        : hermes(...jsons.map((json) => `{"name": "f", "arguments": ${json}}`));
      const list = calls.map((_, i) => listed(`${i}`, 'f', undefined, { arguments_parsed: jsons[i] ?? null }));
      const results = calls.map((_, i) => ran(`${i}`, 'f', undefined, { executed_arguments: jsons[i] ?? null }));
      const audit = auditSteps([says(text, list), ...results, goesOn]);
      expect(audit).toMatchObject({ result: 'pass', found: [] });
    }),
    { numRuns: 60 },
  );
});

describe('more than is noted', () => {
  it('of a turn with more calls than are noted, nothing is blamed that was not seen', () => {
    const numbers = Array.from({ length: 40 }, (_, i) => i);
    const text = numbers.map((n) => hermes(`{"name":"A","arguments":{"n":${n}}}`)).join('\n');
    const calls = numbers.map((n) => listed(`call ${n}`, 'A', { n }));
    const results = numbers.map((n) => ran(`call ${n}`, 'A', { n }));
    expect(auditSteps([says(text, calls), ...results, goesOn])).toMatchObject({ result: 'not_auditable', found: [] });
    const few = auditSteps([says(text, calls), ...results.slice(0, 31), ran('call 31', 'A', { n: 0 }), goesOn]);
    expect(few.classes).toContain('silent_repair');
    const odd = auditSteps([says(hermes('{"name":"A","arguments":{}}'), []), ran('x', 'B', {}), goesOn]);
    expect(odd.classes).toContain('executed_without_call');
  });

  it('ids that carry kilobytes, and differ at their end, are told apart', () => {
    const text = `${hermes('{"name":"A","arguments":{"n":1}}')}\n${hermes('{"name":"A","arguments":{"n":2}}')}`;
    const id = (n: number) => `call__thought__${'QUFB'.repeat(500)}${n}`;
    const calls = [listed(id(1), 'A', { n: 1 }), listed(id(2), 'A', { n: 2 })];
    const results = [ran(id(2), 'A', { n: 2 }), ran(id(1), 'A', { n: 1 })];
    expect(auditSteps([says(text, calls), ...results, goesOn])).toMatchObject({ result: 'pass', found: [] });
  });
});
