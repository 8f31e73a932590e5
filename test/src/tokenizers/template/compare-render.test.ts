import { afterAll, describe, expect, it } from 'vitest';
import { shippedRulesFor } from '../../../../processors/audit/template/shipped-rules.ts';
import { compareRender } from '../../../../src/tokenizers/template/compare-render.ts';
import { createRenderer } from '../../../../src/tokenizers/template/create-renderer.ts';
import { fixtureTokenizer } from '../../../processors/audit/template/fixture-tokenizer.ts';

const tokenizer = fixtureTokenizer('llama3_1');
/** A system turn with a date, as Llama-3.1 writes it. */
const DATED = `{% if not date_string is defined %}{% set date_string = strftime_now("%d %b %Y") %}{% endif %}{{ bos_token }}<|start_header_id|>system<|end_header_id|>

Today Date: {{ date_string }}<|eot_id|>{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>

{{ m.content }}<|eot_id|>{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}`;
const renderer = createRenderer(DATED, tokenizer.config, { timeMs: 20_000 });
afterAll(renderer.close);

async function compared(date: string, vars: Record<string, unknown>, messages: readonly unknown[]) {
  const rules = shippedRulesFor(tokenizer);
  if (rules === null) throw new Error('no rules');
  const { text } = await renderer.render({ messages, vars: { date_string: date }, addGenerationPrompt: true });
  const recordedIds = tokenizer.encode(text);
  const { render } = renderer;
  return compareRender({ messages, tools: null, vars, recordedIds, turn: 0, rules, tokenizer, render });
}

describe('a prompt with a date (case 38)', () => {
  const messages = [{ role: 'user', content: 'Hi' }];

  it('is rendered with the date that was recorded', async () => {
    expect((await compared('26 Jul 2024', { date_string: '26 Jul 2024' }, messages)).result).toBe('pass');
  });

  it('of another day warns, and says what differs', async () => {
    const { result, findings } = await compared('26 Jul 2024', { date_string: '27 Jul 2024' }, messages);
    expect(result).toBe('warn');
    expect(findings).toMatchObject([{ class: 'template_vars', severity: 'warn', turn: 0 }]);
    expect(findings[0]?.evidence?.text).toContain('26 Jul 2024');
    expect(findings[0]?.evidence?.expectedText).toContain('27 Jul 2024');
  });

  it('is not auditable where no date was recorded', async () => {
    const { result, missing } = await compared('26 Jul 2024', {}, messages);
    expect(result).toBe('not_auditable');
    expect(missing).toContain('none was recorded');
  });
});

it('a template that cannot render the messages is not auditable, with its reason', async () => {
  const rules = shippedRulesFor(tokenizer);
  if (rules === null) throw new Error('no rules');
  const strict = createRenderer('{{ raise_exception("roles must alternate") }}', {}, { timeMs: 20_000 });
  const { render } = strict;
  const recordedIds = Uint32Array.of(128000);
  const answer = await compareRender({
    messages: [],
    tools: null,
    vars: {},
    recordedIds,
    turn: 0,
    rules,
    tokenizer,
    render,
  });
  await strict.close();
  expect(answer).toMatchObject({ result: 'not_auditable', missing: expect.stringContaining('roles must alternate') });
});
