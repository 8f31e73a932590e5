import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditTemplate } from '../../../../processors/audit/template/audit-template.ts';
import { shippedRulesFor } from '../../../../processors/audit/template/shipped-rules.ts';
import { inputOf } from './fixture-input.ts';
import { callsOf, type LoopMessage, type LoopStep } from './fixture-loop.ts';
import { fixtureTokenizer, type Model } from './fixture-tokenizer.ts';

const END: Record<Model, string> = { qwen3: '<|im_end|>', qwen2_5: '<|im_end|>', llama3_1: '<|eot_id|>' };

/** Texts that look like what templates write, and hold none of their control tokens. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        ' ',
        '\r\n',
        '{"a": 1}',
        '<tool_call>',
        'user\n',
        '&quot;',
        '{"x": "&#34;"}',
        '北京',
        '\u0301',
      ),
      fc.lorem({ maxCount: 4 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
  .filter((joined) => !joined.includes('<|'));
const completion = fc
  .array(
    fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.lorem({ maxCount: 5 }), fc.constantFrom('\n', ' ')),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(''))
  .filter((joined) => !joined.includes('<'));

const call = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }), { maxKeys: 3 })
  .map((args) => `<tool_call>\n${JSON.stringify({ name: 'f', arguments: args })}\n</tool_call>`)
  .filter((written) => !written.includes('<|'));

/** A completion and what answers it: results of its calls, or a further question. */
const exchange = fc.record({
  // An empty block may be a prefill that was put among the sampled tokens: that is a warning of its own (case 39).
  thought: fc.option(
    completion.filter((words) => words.trim() !== ''),
    { nil: null },
  ),
  said: completion,
  calls: fc.array(call, { maxLength: 3 }),
  results: fc.array(text, { minLength: 3, maxLength: 3 }),
  question: text,
});

function stepsOf(
  system: string | null,
  exchanges: ReadonlyArray<typeof exchange extends fc.Arbitrary<infer T> ? T : never>,
): LoopStep[] {
  let messages: LoopMessage[] = [
    ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user', content: 'Go' },
  ];
  return exchanges.map(({ thought, said, calls, results, question }) => {
    const think = thought === null ? '' : `<think>\n${thought}\n</think>\n\n`;
    const step = { messages, completion: [`${think}${said}`, ...calls].join('\n') };
    messages =
      calls.length > 0
        ? calls.map((_, i) => ({ role: 'tool' as const, content: results[i] ?? '' }))
        : [{ role: 'user', content: question }];
    return step;
  });
}

const TOOLS = [{ type: 'function', function: { name: 'f', description: 'a {"quoted"} one', parameters: {} } }];

describe.each(['qwen3', 'qwen2_5', 'llama3_1'] as const)('%s', (model) => {
  it('no conversation that its own template wrote has a finding', () => {
    const tokenizer = fixtureTokenizer(model);
    const rules = shippedRulesFor(tokenizer);
    const withTools = fc.boolean();
    fc.assert(
      fc.property(
        fc.option(text, { nil: null }),
        fc.array(exchange, { minLength: 1, maxLength: 5 }),
        withTools,
        (system, exchanges, tools) => {
          const calls = callsOf(tokenizer, END[model], stepsOf(system, exchanges), tools ? { tools: TOOLS } : {});
          const answer = auditTemplate(inputOf(calls), tokenizer, rules);
          expect(answer.findings).toEqual([]);
          expect(answer.result).toBe('pass');
        },
      ),
      { numRuns: 60 },
    );
  });
});

it('thinking that is off writes its empty block into the prompt, and has no finding (case 39)', () => {
  const tokenizer = fixtureTokenizer('qwen3');
  const steps: LoopStep[] = [
    { messages: [{ role: 'user', content: 'How are you?' }], completion: 'I am good!' },
    { messages: [{ role: 'user', content: 'What is your name?' }], completion: 'Qwen' },
  ];
  const calls = callsOf(tokenizer, END.qwen3, steps, { enable_thinking: false });
  expect(calls[0]?.prompt.slice(-4)).toEqual([151667, 271, 151668, 271]);
  const input = inputOf(calls, { templateVarsJson: '{"enable_thinking":false}' });
  expect(auditTemplate(input, tokenizer, shippedRulesFor(tokenizer)).findings).toEqual([]);
});

it('a trajectory of 200,000 tokens in 400 turns has no finding', () => {
  const tokenizer = fixtureTokenizer('qwen3');
  const said = 'word '.repeat(250);
  const steps: LoopStep[] = Array.from({ length: 400 }, () => ({
    messages: [{ role: 'user', content: said }],
    completion: said,
  }));
  const input = inputOf(callsOf(tokenizer, END.qwen3, steps));
  expect(input.segments[0]?.tokenIds.length).toBeGreaterThan(200_000);
  expect(auditTemplate(input, tokenizer, shippedRulesFor(tokenizer)).findings).toEqual([]);
});
