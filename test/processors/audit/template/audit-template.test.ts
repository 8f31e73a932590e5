import { describe, expect, it } from 'vitest';
import { auditTemplate } from '../../../../processors/audit/template/audit-template.ts';
import { shippedRulesFor } from '../../../../processors/audit/template/shipped-rules.ts';
import type { Found } from '../../../../processors/model/audit-summary.ts';
import type { DeepInput } from '../../../../processors/model/deep-input.ts';
import { type FixtureCall, forkedInputOf, inputOf } from './fixture-input.ts';
import { type FixtureTokenizer, fixtureTokenizer, type Model } from './fixture-tokenizer.ts';

const qwen3 = fixtureTokenizer('qwen3');
const qwen25 = fixtureTokenizer('qwen2_5');
const llama3 = fixtureTokenizer('llama3_1');

function audited(model: Model, input: DeepInput) {
  const tokenizer = fixtureTokenizer(model);
  return auditTemplate(input, tokenizer, shippedRulesFor(tokenizer));
}

/** Class, severity, turn and index. */
function found(model: Model, input: DeepInput): Array<readonly [string, string, number | null, number | null]> {
  const { findings, missing } = audited(model, input);
  expect(missing).toBe(null);
  return findings.map((one) => [one.class, one.severity, one.turn, one.index] as const);
}

const idsOf = (tokenizer: FixtureTokenizer, text: string): number[] => [...tokenizer.encode(text)];
const q3 = (text: string): number[] => idsOf(qwen3, text);
const q25 = (text: string): number[] => idsOf(qwen25, text);
const l3 = (text: string): number[] => idsOf(llama3, text);

const ASK: FixtureCall = {
  prompt: q3('<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\n'),
  sampled: q3('<think>\nhm\n</think>\n\nI am good!<|im_end|>'),
  finish: 'stop',
};
/** 9 tokens of the question and 3 of the generation prompt. */
const ASKED = 12;

describe('boundaries', () => {
  const toolCall = q3('<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call><|im_end|>');
  const result = [151644, 872, 198, 151665, 198, 16, 23, 34, 198, 151666, 151645, 198];
  const generation = [151644, 77091, 198];

  it('a separator that is missing is found where it should stand (case 31)', () => {
    const first = { prompt: ASK.prompt, sampled: toolCall };
    const at = ASKED + toolCall.length;
    expect(toolCall.slice(-2)).toEqual([151658, 151645]);
    const good = inputOf([first, { prompt: [198, ...result, ...generation], sampled: [9707, 151645] }]);
    const bad = inputOf([first, { prompt: [...result, ...generation], sampled: [9707, 151645] }]);
    expect(found('qwen3', good)).toEqual([]);
    expect(found('qwen3', bad)).toEqual([['separator_missing', 'fail', 1, at]]);
    expect(audited('qwen3', bad).findings[0]?.evidence?.expectedIds).toEqual([198]);
  });

  it('each boundary without its separator is found', () => {
    const prompt = [...result.slice(0, -1), ...generation];
    const bad = inputOf([
      { prompt: ASK.prompt, sampled: toolCall },
      { prompt, sampled: [9707, 151645] },
    ]);
    expect(found('qwen3', bad).map(([name]) => name)).toEqual(['separator_missing', 'separator_missing']);
  });

  it('a BOS that the tokenizer added to the one of the template is counted (case 33)', () => {
    const input = inputOf([{ prompt: [128000, 128000, 128006, 882, 128007, 271, 13347, 128009] }]);
    expect(found('llama3_1', input)).toEqual([['bos_duplicated', 'fail', 0, 1]]);
    expect(audited('llama3_1', input).findings[0]?.detail).toContain('2 times');
    const good = inputOf([{ prompt: [128000, 128006, 882, 128007, 271, 13347, 128009] }]);
    expect(found('llama3_1', good)).toEqual([]);
  });

  it('a BOS that is missing is one only where the template writes one (case 34)', () => {
    const input = inputOf([{ prompt: [128006, 882, 128007, 271, 13347, 128009] }]);
    expect(found('llama3_1', input)).toEqual([['bos_missing', 'fail', 0, 0]]);
    expect(found('qwen3', inputOf([ASK]))).toEqual([]);
  });

  it('a BOS in the middle is found at the start of its chunk (case 35)', () => {
    const first = {
      prompt: l3('<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>').concat(
        l3('<|start_header_id|>assistant<|end_header_id|>\n\n'),
      ),
      sampled: l3('Hello<|eot_id|>'),
    };
    const next = l3('<|start_header_id|>user<|end_header_id|>\n\nMore<|eot_id|>').concat(
      l3('<|start_header_id|>assistant<|end_header_id|>\n\n'),
    );
    const at = first.prompt.length + first.sampled.length;
    const bad = inputOf([first, { prompt: [128000, ...next], sampled: l3('No<|eot_id|>') }]);
    expect(found('llama3_1', bad)).toEqual([['bos_mid_sequence', 'fail', 1, at]]);
    expect(found('llama3_1', inputOf([first, { prompt: next, sampled: l3('No<|eot_id|>') }]))).toEqual([]);
  });

  it('an end of turn that the text already had is found twice (case 15)', () => {
    const history = { prompt: [...ASK.prompt.slice(0, 9), 151644, 77091, 198, 9520, 220, 16, 151645, 151645, 198] };
    const input = inputOf([{ ...history, prompt: [...history.prompt, ...ASK.prompt], sampled: ASK.sampled ?? [] }]);
    expect(found('qwen3', input)).toEqual([['end_of_turn_doubled', 'fail', 0, 16]]);
    const sampled = inputOf([{ prompt: ASK.prompt, sampled: [9520, 220, 16, 151645, 151645] }]);
    expect(found('qwen3', sampled)).toEqual([['end_of_turn_doubled', 'fail', 0, 16]]);
    const appended = inputOf([ASK, { prompt: [151645, 198, ...result, ...generation], sampled: [9707, 151645] }]);
    expect(found('qwen3', appended).slice(0, 1)).toEqual([
      ['end_of_turn_doubled', 'fail', 1, appended.segments[0]?.ranges[1]?.promptStart],
    ]);
  });

  it('a turn that ends on another EOS is whole (case 17)', () => {
    const sampled = [9707, 151643];
    expect(found('qwen3', inputOf([{ prompt: ASK.prompt, sampled, finish: 'stop' }]))).toEqual([]);
    const next = { prompt: [151645, 198, ...ASK.prompt], sampled: [9707, 151645] };
    expect(found('qwen3', inputOf([{ prompt: ASK.prompt, sampled, finish: 'stop' }, next]))).toEqual([]);
  });

  it('an end of turn that is missing fails where a turn follows, and is a warning at the end', () => {
    const stopped = { prompt: ASK.prompt, sampled: [9707], finish: 'stop' };
    expect(found('qwen3', inputOf([stopped]))).toEqual([['end_of_turn_missing', 'warn', 0, 13]]);
    const next = { prompt: ASK.prompt, sampled: [9707, 151645] };
    expect(found('qwen3', inputOf([stopped, next]))).toEqual([['end_of_turn_missing', 'fail', 1, 13]]);
  });

  it('a turn that was cut by length has no end, and lacks none', () => {
    const cut = { prompt: ASK.prompt, sampled: [9707], finish: '{"type":"length","length":1}' };
    expect(found('qwen3', inputOf([cut]))).toEqual([]);
    expect(found('qwen3', inputOf([cut, { prompt: [], sampled: [9707, 151645] }]))).toEqual([]);
  });

  it('what a loop writes into an open turn is no boundary', () => {
    const searched = { prompt: ASK.prompt, sampled: q3('<search>Oslo</search>'), finish: 'stop' };
    const told = { prompt: q3('<information>far north</information>'), sampled: [9707, 151645], finish: 'stop' };
    expect(found('qwen3', inputOf([searched, told]))).toEqual([]);
  });
});

describe('generation prompts', () => {
  it('one that is missing, and one that is cut short', () => {
    const question = ASK.prompt.slice(0, 9);
    expect(found('qwen3', inputOf([{ prompt: question, sampled: [9707, 151645] }]))).toEqual([
      ['gen_prompt_missing', 'fail', 0, 9],
    ]);
    expect(found('qwen3', inputOf([{ prompt: [...question, 151644, 77091], sampled: [198, 9707, 151645] }]))).toEqual([
      ['gen_prompt_malformed', 'fail', 0, 9],
    ]);
  });

  const PREFILL = [151667, 271, 151668, 271];

  it('a think prefill belongs to the prompt (case 39)', () => {
    const off = { templateVarsJson: '{"enable_thinking":false}' };
    const right = inputOf([{ prompt: [...ASK.prompt, ...PREFILL], sampled: [9707, 151645] }], off);
    const wrong = inputOf([{ prompt: ASK.prompt, sampled: [...PREFILL, 9707, 151645] }], off);
    const lacking = inputOf([{ prompt: ASK.prompt, sampled: [9707, 151645] }], off);
    expect(found('qwen3', right)).toEqual([]);
    expect(found('qwen3', wrong)).toEqual([['think_prefill_in_completion', 'fail', 0, ASKED]]);
    expect(found('qwen3', lacking)).toEqual([['gen_prompt_malformed', 'fail', 0, ASKED]]);
    // Nothing was recorded: a policy may write an empty block by itself.
    const unsaid = inputOf([{ prompt: ASK.prompt, sampled: [...PREFILL, 9707, 151645] }]);
    expect(found('qwen3', unsaid)).toEqual([['think_prefill_in_completion', 'warn', 0, ASKED]]);
    const on = { templateVarsJson: '{"enable_thinking":true}' };
    expect(found('qwen3', inputOf([{ prompt: [...ASK.prompt, ...PREFILL], sampled: [9707, 151645] }], on))).toEqual([
      ['gen_prompt_malformed', 'fail', 0, ASKED],
    ]);
  });

  it('a completion without the opening of its thought is whole where the prompt ends with it (case 45)', () => {
    const sampled = q3('First, 2 plus 2.\n</think>\nThe answer is 4.<|im_end|>');
    const opened = inputOf([{ prompt: [...ASK.prompt, ...q3('<think>\n')], sampled }]);
    expect(found('qwen3', opened)).toEqual([]);
    const unopened = inputOf([{ prompt: ASK.prompt, sampled }]);
    expect(found('qwen3', unopened)).toEqual([['orphan_think_close', 'warn', 0, ASKED + sampled.indexOf(151668)]]);
  });
});

describe('history', () => {
  const AFTER_TWO = [
    151644, 872, 198, 4340, 525, 498, 30, 151645, 198, 151644, 77091, 198, 151667, 271, 151668, 271, 40, 1079, 1661, 0,
    151645, 198,
  ];
  const AFTER_THREE = [
    151644, 872, 198, 4340, 525, 498, 30, 151645, 198, 151644, 77091, 198, 40, 1079, 1661, 0, 151645, 198, 151644, 872,
    198, 3838, 374, 697, 829, 30, 151645, 198,
  ];

  it('a think block that the template strips shows at the fork (cases 26, 27)', () => {
    const first = { prompt: AFTER_TWO.slice(0, ASKED), sampled: AFTER_TWO.slice(ASKED, 21) };
    const next = [...AFTER_THREE, 151644, 77091, 198];
    const input = forkedInputOf(first, next, [9707, 151645]);
    const classes = found('qwen3', input);
    expect(classes).toContainEqual(['think_stripped', 'warn', 1, 12]);
    expect(classes.filter(([, severity]) => severity === 'fail')).toEqual([]);
  });

  it('a tool loop keeps its thoughts, and a later question breaks it (case 29)', () => {
    const call = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>';
    const sampled = q3(`<think>\nlet me\n</think>\n\n${call}<|im_end|>`);
    const result = q3('\n<|im_start|>user\n<tool_response>\n4\n</tool_response><|im_end|>\n<|im_start|>assistant\n');
    const final = q3('<think>\nnow\n</think>\n\n4.<|im_end|>');
    expect(
      found(
        'qwen3',
        inputOf([
          { prompt: ASK.prompt, sampled },
          { prompt: result, sampled: final },
        ]),
      ),
    ).toEqual([]);
    const rewritten = [
      ...ASK.prompt,
      ...q3(`${call}<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n`),
    ];
    const forked = forkedInputOf({ prompt: ASK.prompt, sampled }, rewritten, final);
    expect(found('qwen3', forked)).toEqual([['think_stripped', 'warn', 1, ASKED]]);
  });

  it('an empty think block around a thought without its opening is found (case 30)', () => {
    const turn = (body: string): number[] =>
      q3(`<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n${body}<|im_end|>\n`);
    const bad = turn('<think>\n\n</think>\n\n2+2 equals 4.\n</think>\n\nThe answer is 4.');
    const good = turn('<think>\n2+2 equals 4.\n</think>\n\nThe answer is 4.');
    const inPrompt = (history: number[]): DeepInput =>
      inputOf([{ prompt: [...history, ...ASK.prompt], sampled: [9707, 151645] }]);
    expect(found('qwen3', inPrompt(good))).toEqual([]);
    expect(found('qwen3', inPrompt(bad))).toEqual([['think_rewrapped', 'fail', 0, bad.indexOf(151667)]]);
  });

  it('one that begins as the sampled thought did is found where the history leaves it (case 30)', () => {
    const sampled = q3('<think>\n2+2\n</think>\n\n4<|im_end|>');
    const bad = q3('<think>\n\n</think>\n\n2+2\n</think>\n\n4<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>\n');
    const next = [...ASK.prompt, ...bad, ...q3('<|im_start|>assistant\n')];
    const input = forkedInputOf({ prompt: ASK.prompt, sampled }, next, [9707, 151645]);
    expect(found('qwen3', input)).toEqual([['think_rewrapped', 'fail', 1, ASKED + 1]]);
  });

  it('a call that the stored message lost is missing in the history (case 43)', () => {
    const sampled = q3('<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call><|im_end|>');
    const next = [
      ...ASK.prompt,
      ...q3('<|im_end|>\n<|im_start|>user\n<tool_response>\n4\n</tool_response><|im_end|>\n<|im_start|>assistant\n'),
    ];
    const input = forkedInputOf({ prompt: ASK.prompt, sampled }, next, [9707, 151645]);
    expect(found('qwen3', input)).toEqual([['tool_call_lost_in_history', 'fail', 1, ASKED]]);
  });

  it('arguments that are a text which holds JSON are found (case 41)', () => {
    const prompt = (args: string): DeepInput => {
      const system = '<|im_start|>system\nBe good.<|im_end|>\n<|im_start|>user\nGo<|im_end|>\n';
      const call = `<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": ${args}}\n</tool_call><|im_end|>\n`;
      return inputOf([{ prompt: q25(`${system}${call}<|im_start|>assistant\n`), sampled: [9707, 151645] }]);
    };
    expect(found('qwen2_5', prompt('{"a": 1}'))).toEqual([]);
    const [bad] = audited('qwen2_5', prompt('"{\\"a\\": 1}"')).findings;
    expect([bad?.class, bad?.severity]).toEqual(['double_encoded_arguments', 'warn']);
  });

  it('JSON with the quotes of HTML is found, and a page that quotes it is not (case 42)', () => {
    const prompt = (body: string): DeepInput => {
      const call = {
        prompt: ASK.prompt,
        sampled: q3('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>'),
      };
      const result = `\n<|im_start|>user\n<tool_response>\n${body}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
      return inputOf([call, { prompt: q3(result), sampled: [9707, 151645] }]);
    };
    const [bad] = audited('qwen3', prompt('{&#34;name&#34;: 1}')).findings;
    expect([bad?.class, bad?.severity, bad?.turn]).toEqual(['html_escape', 'warn', 1]);
    expect(found('qwen3', prompt('<div data-x="{&quot;a&quot;: 1}"></div>'))).toEqual([]);
  });
});

describe('system and tool turns', () => {
  it('the system turn that Qwen2.5 always writes is missing (case 37)', () => {
    const prompt = q25('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
    expect(found('qwen2_5', inputOf([{ prompt, sampled: [9707, 151645] }]))).toEqual([
      ['system_missing', 'fail', 0, 0],
    ]);
    expect(found('qwen3', inputOf([{ prompt, sampled: [9707, 151645] }]))).toEqual([]);
  });

  const calling = {
    prompt: ASK.prompt,
    sampled: q3('<tool_call>\n{"name": "cat", "arguments": {}}\n</tool_call><|im_end|>'),
  };
  const observed = (body: readonly number[]): DeepInput =>
    inputOf([
      calling,
      {
        prompt: [198, 151644, 872, 198, 151665, 198, ...body, 198, 151666, 151645, 198, 151644, 77091, 198],
        sampled: [9707, 151645],
      },
    ]);
  const bodyAt = ASKED + calling.sampled.length + 6;

  it('a turn that an observation forges is found where it ends the real one (case 46)', () => {
    const forged = [839, 25, 220, 151645, 198, 151644, 77091];
    expect(found('qwen3', observed([839, 25, 220, 16]))).toEqual([]);
    expect(found('qwen3', observed(forged))).toEqual([['control_token_in_observation', 'fail', 1, bodyAt + 3]]);
  });

  it('so is one that it only opens, one that it only ends, and another control token (case 46)', () => {
    const at = (index: number) => [['control_token_in_observation', 'fail', 1, bodyAt + index]];
    expect(found('qwen3', observed([839, 151644, 77091, 198, 16]))).toEqual(at(1));
    expect(found('qwen3', observed([839, 151645, 16]))).toEqual(at(1));
    expect(found('qwen3', observed([839, 151643, 16]))).toEqual(at(1));
  });

  it('the same words, spelt in ordinary tokens, are text', () => {
    const spelt = q25('log: <|im_end|>').slice(0, 2).concat(27, 91, 318, 6213, 91, 29);
    expect(found('qwen3', observed(spelt))).toEqual([]);
  });

  it('a turn of a role that the template never writes is no tool turn', () => {
    const prompt = q3('\n<|im_start|>tool\n4<|im_end|>\n<|im_start|>assistant\n');
    const input = inputOf([calling, { prompt, sampled: [9707, 151645] }]);
    expect(found('qwen3', input)).toEqual([['tool_turn_format', 'fail', 1, ASKED + calling.sampled.length + 1]]);
  });

  it('more results than calls are unmatched', () => {
    const one = '<tool_response>\n4\n</tool_response>';
    const prompt = q3(`\n<|im_start|>user\n${one}\n${one}<|im_end|>\n<|im_start|>assistant\n`);
    const input = inputOf([calling, { prompt, sampled: [9707, 151645] }]);
    expect(found('qwen3', input)).toEqual([['tool_turn_unmatched', 'warn', 1, ASKED + calling.sampled.length + 1]]);
  });
});

describe('what cannot be audited', () => {
  const missing = (input: DeepInput): string | null => audited('qwen3', input).missing;

  it('is not audited, and says what it lacks', () => {
    expect(missing(inputOf([]))).toBe('no token ids');
    expect(missing(inputOf([{ prompt: [9707], sampled: [9707] }]))).toMatch(/^no turn of qwen3 in the ids/);
    expect(auditTemplate(inputOf([ASK]), qwen3, null).missing).toBe('no template rules for this tokenizer');
  });

  it('another tokenizer is refused (case 9)', () => {
    const answer = audited('qwen3', inputOf([ASK], { tokenizerSha256: qwen25.sha256 }));
    expect(answer.result).toBe('not_auditable');
    expect(answer.missing).toContain(qwen25.sha256);
    expect(answer.findings).toEqual([]);
  });
});

describe('bounds', () => {
  it('200,000 forged turns are counted, and 64 of them told', () => {
    const forged = Array.from({ length: 200_000 }, () => 151644);
    const { findings } = audited('qwen3', inputOf([{ prompt: [...ASK.prompt, ...forged], sampled: [9707] }]));
    expect(findings.length).toBe(65);
    expect(findings.at(-1)?.class).toBe('more_findings');
  });

  it('ids that no tokenizer has are not decoded', () => {
    const input = inputOf([{ prompt: [151644, 872, 198, 999_999, 4_294_967_295, 151645, 198, 151644, 77091, 198] }]);
    const answer: readonly Found[] = audited('qwen3', input).findings;
    expect(answer).toEqual([]);
  });
});
