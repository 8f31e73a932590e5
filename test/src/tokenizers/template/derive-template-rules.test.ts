import { afterEach, describe, expect, it } from 'vitest';
import { SHIPPED_RULES } from '../../../../processors/audit/template/shipped-rules.ts';
import { createRenderer } from '../../../../src/tokenizers/template/create-renderer.ts';
import { deriveTemplateRules } from '../../../../src/tokenizers/template/derive-template-rules.ts';
import { mendTemplate } from '../../../../src/tokenizers/template/mend-template.ts';
import { fixtureTokenizer, type Model } from '../../../processors/audit/template/fixture-tokenizer.ts';

const closes: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

async function derived(model: Model, template = fixtureTokenizer(model).templateText) {
  const tokenizer = fixtureTokenizer(model);
  const renderer = createRenderer(template, tokenizer.config);
  closes.push(renderer.close);
  return deriveTemplateRules(tokenizer, template, renderer);
}

describe('rules that are derived', () => {
  it.each([
    ['qwen3', 'qwen3'],
    ['qwen2_5', 'qwen2.5'],
    ['llama3_1', 'llama-3'],
  ] as const)('from %s are those that are shipped for %s', async (model, name) => {
    const { rules } = await derived(model);
    const shipped = SHIPPED_RULES.find((one) => one.name === name);
    expect({ ...rules, templateSha256: null }).toEqual(shipped);
    expect(rules.templateSha256).toBe(fixtureTokenizer(model).templateSha256);
  });

  it('know a template that always opens the thought (case 45)', async () => {
    const template = fixtureTokenizer('qwen2_5').templateText.replace(
      "{{- '<|im_start|>assistant\\n' }}",
      "{{- '<|im_start|>assistant\\n<think>\\n' }}",
    );
    const tokenizer = fixtureTokenizer('qwen3');
    const renderer = createRenderer(template, tokenizer.config);
    closes.push(renderer.close);
    const { rules } = await deriveTemplateRules(tokenizer, template, renderer);
    expect(rules.generationPromptIds).toEqual([151644, 77091, 198]);
    expect(rules.prefills).toEqual([{ ids: [151667, 198], vars: {} }]);
  });
});

describe('growth', () => {
  it('of Qwen3 breaks where its think blocks are stripped, and holds within a tool loop (cases 26, 29)', async () => {
    const { growth } = await derived('qwen3');
    expect(growth.refused).toEqual([]);
    expect(growth.breaks.map(({ conversation, messages, added }) => [conversation, messages, added])).toEqual([
      ['plain turns', 2, 'user'],
      ['plain turns after a system turn', 3, 'user'],
      ['think turns', 2, 'user'],
      ['turns with thinking off', 2, 'user'],
      ['two calls at once, without a text', 2, 'tool'],
      ['a later question after a tool loop', 4, 'user'],
    ]);
  });

  it.each(['qwen2_5', 'llama3_1'] as const)('of %s never breaks', async (model) => {
    expect((await derived(model)).growth).toEqual({ breaks: [], refused: [] });
  });

  it('of Qwen3 never breaks once it is patched, and the boundaries stay', async () => {
    const { templateText, config } = fixtureTokenizer('qwen3');
    const mend = await mendTemplate(templateText, config);
    const patched = await derived('qwen3', mend?.template);
    expect(patched.growth).toEqual({ breaks: [], refused: [] });
    const { stripsThink, appendOnly, templateSha256, ...boundaries } = patched.rules;
    expect([stripsThink, appendOnly]).toEqual([false, true]);
    expect(templateSha256).not.toBe(fixtureTokenizer('qwen3').templateSha256);
    expect(SHIPPED_RULES[0]).toMatchObject(boundaries);
  });

  it('has no patch where none is known', async () => {
    const template = fixtureTokenizer('qwen2_5').templateText.replace(
      '{%- for message in messages %}',
      '{%- for message in messages[-2:] %}',
    );
    expect((await derived('qwen2_5', template)).growth.breaks.length).toBeGreaterThan(0);
    expect(await mendTemplate(template, {})).toBe(null);
  });
});

describe('a template that nothing can be derived from', () => {
  const refusal = (model: Model, template: string) =>
    derived(model, template).then(
      () => null,
      (error: Error) => error.message,
    );

  it('of another model names the tokens that the vocabulary has not', async () => {
    expect(await refusal('llama3_1', fixtureTokenizer('qwen3').templateText)).toMatch(
      /another model: the vocabulary has no .*<\|im_start\|>/,
    );
  });

  it('without tokens between turns says so', async () => {
    const template = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}';
    expect(await refusal('qwen3', template)).toMatch(/ends a turn with no token of its own/);
  });

  it('that leaves the messages out says so', async () => {
    expect(await refusal('qwen3', 'hello')).toMatch(/does not write the words/);
  });
});
