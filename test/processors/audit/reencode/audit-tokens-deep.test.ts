import { describe, expect, it } from 'vitest';
import { auditTokensDeep } from '../../../../processors/audit/reencode/audit-tokens-deep.ts';
import { loadTokenizer } from '../../../../src/tokenizers/load-tokenizer.ts';
import { tokenizerFolder } from '../../../src/tokenizers/tokenizer-folder.ts';
import { type Call, forkedInput, inputOf } from './deep-input.ts';

const [qwen3, llama3] = await Promise.all([
  loadTokenizer(tokenizerFolder('qwen3')),
  loadTokenizer(tokenizerFolder('llama3_1')),
]);

const END = 151645;
/** `<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n` */
const ASKED = [151644, 872, 198, 6023, END, 198, 151644, 77091, 198];
/** Another question, and the answer that is asked for. */
const AGAIN = [198, ...ASKED];
const ids = (text: string) => [...qwen3.encode(text)];

/** The second prompt holds `later` in the place of what was sampled first, all from `forkAt` on. */
function classesOf(sampled: readonly number[], later: readonly number[], tokenizer = qwen3) {
  let same = 0;
  while (same < sampled.length && sampled[same] === later[same]) same += 1;
  const first: Call = { prompt: ASKED, sampled };
  const input = forkedInput(first, ASKED.length + same, [...later.slice(same), ...AGAIN]);
  return auditTokensDeep(input, tokenizer).findings.map((found) => [found.class, found.severity, found.index]);
}

describe('auditTokensDeep', () => {
  it('finds a completion that came back under other ids, with turn, place and both (cases 2, 3 and 5)', () => {
    const input = forkedInput({ prompt: ASKED, sampled: [53122, 316, END] }, 9, [393, 30002, END, ...AGAIN]);
    const { result, findings } = auditTokensDeep(input, qwen3);
    expect(result).toBe('fail');
    expect(findings).toMatchObject([
      { class: 'pipeline_drift', severity: 'fail', turn: 1, index: 9 },
      { class: 'bpe_split', severity: 'fail', turn: 1, index: 9 },
    ]);
    // With the eight before them.
    expect(findings[0]?.evidence?.ids?.slice(8, 11)).toEqual([393, 30002, END]);
    expect(findings[0]?.evidence?.expectedIds?.slice(8)).toEqual([53122, 316, END]);
    expect(findings[0]?.detail).toContain('retokenized');
  });

  it('tells a tool call that was written anew, by blanks or by escapes (cases 18 and 19)', () => {
    const compact = [4913, 606, 3252, 455, 69364, 2198, 16370, 22317, 8926, 3252, 59604, 30975];
    const spaced = [4913, 606, 788, 330, 455, 69364, 497, 330, 16370, 788, 5212, 8926, 788, 330, 59604, 30975];
    expect(classesOf([...compact, END], [...spaced, END])).toEqual([
      ['pipeline_drift', 'fail', 11],
      ['tool_json_rerender', 'fail', 11],
    ]);
    const plain = [4913, 80, 788, 330, 68990, 9207];
    const escaped = [4913, 80, 788, 2917, 84, 20, 18, 16, 22, 3770, 19, 68, 580, 9207];
    expect(classesOf([...plain, END], [...escaped, END])).toEqual([
      ['pipeline_drift', 'fail', 12],
      ['tool_json_rerender', 'fail', 12],
    ]);
  });

  it('tells a completion whose text was changed: a blank at the edge of a call (cases 5 and 22)', () => {
    expect(classesOf([2814, 13, END], [10438, 13, END])).toEqual([
      ['pipeline_drift', 'fail', 9],
      ['render_drift', 'fail', 9],
    ]);
    const call = '<tool_call>\n{"name": "run", "arguments": {"c": "ls"}}\n</tool_call>';
    expect(classesOf([...ids(`${call} done.`), END], [...ids(`${call}done.`), END]).map(([name]) => name)).toEqual([
      'pipeline_drift',
      'render_drift',
    ]);
  });

  it('thinking that is left out is a history rewritten, not a drift (cases 26 and 27)', () => {
    const thought = [151667, ...ids('\nlet me see\n'), 151668, 271];
    const answer = [40, 1079, 1661, 0, END];
    expect(classesOf([...thought, ...answer], answer)).toEqual([['history_rewritten', 'warn', 9]]);
    // The opening of an empty block was prompt.
    const prefilled = { prompt: [...ASKED, 151667, 271, 151668, 271], sampled: answer };
    const input = forkedInput(prefilled, ASKED.length, [...answer, ...AGAIN]);
    expect(auditTokensDeep(input, qwen3).findings).toMatchObject([
      { class: 'history_rewritten', severity: 'warn', turn: 1, index: 9 },
    ]);
  });

  it('does not call a summary in the place of history a drift, nor another answer to the same prompt', () => {
    const long = ids('First I look at the files, then I run the tests and fix what they show.');
    expect(classesOf([...long, END], [...ids('[summary] work done'), END])).toEqual([]);
    const rewound = forkedInput({ prompt: ASKED, sampled: [...long, END] }, ASKED.length, []);
    expect(auditTokensDeep(rewound, qwen3)).toMatchObject({ result: 'pass', findings: [] });
    const compacted = forkedInput({ prompt: ASKED, sampled: long }, 3, [...ids('summary'), END, ...AGAIN]);
    expect(auditTokensDeep(compacted, qwen3)).toMatchObject({ result: 'pass', findings: [] });
  });

  it('compares the raw text with what was sampled, the token that ends it apart (case 22)', () => {
    const sampled = [...ids('</tool_call> done.'), END];
    const of = (rawText: string) => auditTokensDeep(inputOf([{ prompt: ASKED, sampled, rawText }]), qwen3);
    expect(of('</tool_call> done.').result).toBe('pass');
    expect(of('</tool_call> done.<|im_end|>').result).toBe('pass');
    expect(of('</tool_call>done.').findings).toMatchObject([
      { class: 'render_drift', severity: 'fail', turn: 0, index: 12 },
    ]);
    expect(of('done.').result).toBe('fail');
  });

  it('finds an id in a prompt that the tokenizer does not have (case 21)', () => {
    expect(auditTokensDeep(inputOf([{ prompt: [1, 151936], sampled: [9707] }]), qwen3).findings).toMatchObject([
      { class: 'oov_id', severity: 'fail', turn: 0, index: 1 },
    ]);
  });

  it('refuses another tokenizer, and says when there are no ids (case 9)', () => {
    const input = inputOf([{ prompt: ASKED, sampled: [9707] }], qwen3.sha256);
    expect(auditTokensDeep(input, llama3)).toMatchObject({ result: 'not_auditable', findings: [] });
    expect(auditTokensDeep({ ...input, segments: [] }, qwen3).missing).toBe('no token ids');
  });

  it('10,000 nested brackets and braces end', () => {
    const deep = ids('{"a":'.repeat(3000) + '['.repeat(5000));
    expect(classesOf([...deep, END], [...ids(' '), ...deep, END]).length).toBeGreaterThan(0);
  });
});
