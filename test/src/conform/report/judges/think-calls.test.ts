import { describe, expect, it } from 'vitest';
import { CALL_FORMS } from '../../../../../src/conform/call-form.ts';
import { judgeThinkCalls } from '../../../../../src/conform/report/judges/think-calls.ts';
import { writeCalls } from '../../../../../src/conform/scenarios/write-calls.ts';
import { call, chatAfter, following, judged, record, recordedCall } from '../hand-made.ts';

const DRAFT = '<tool_call>\n{"name": "search", "arguments": {"query": "draft"}}\n</tool_call>';
const MEANT = '<tool_call>\n{"name": "search", "arguments": {"query": "meant"}}\n</tool_call>';
/** The template has opened the thought. */
const drafted = call({ promptText: 'assistant: <think>\n', rawText: `perhaps ${DRAFT}</think>${MEANT}<|im_end|>` });

describe('a call that was drafted in a thought', () => {
  it('is laundered where it was executed beside the one that was meant', () => {
    const both = following(drafted, 'executed search {"query": "draft"}', {
      promptText:
        `${drafted.promptText}${drafted.rawText}<tool_response>\nexecuted search {"query": "draft"}\n</tool_response>` +
        '<tool_response>\nexecuted search {"query": "meant"}\n</tool_response>',
    });
    expect(judged(judgeThinkCalls, [drafted, both])).toEqual(['laundered draft_executed']);
  });

  it('is faithful where only the one that was meant was executed', () => {
    expect(judged(judgeThinkCalls, [drafted, following(drafted, 'executed search {"query": "meant"}')])).toEqual([
      'faithful',
    ]);
  });

  it('is laundered where more ran than stand outside of thoughts, even if nobody says with what', () => {
    const results = [1, 2].map((n) => ({ callId: `c${n}`, name: null, executed: null, status: 'ok', output: 'found' }));
    const recorded = record('task_complete', 'completion', [recordedCall({ results })]);
    expect(judged(judgeThinkCalls, [drafted], recorded)).toEqual(['laundered draft_executed']);
  });

  it('is judged by the results in whatever role they are told', () => {
    const [draft, meant] = ['draft', 'meant'].map((query) => `Observation: executed search {"query": "${query}"}`);
    const verdict = (...texts: Array<string | undefined>) =>
      judged(judgeThinkCalls, [drafted, chatAfter(drafted, ...texts.map((text) => ['user', text ?? ''] as const))]);
    expect(verdict(meant)).toEqual(['faithful']);
    expect(verdict(draft, meant)).toEqual(['laundered draft_executed']);
    expect(verdict(meant, 'there are 12')).toEqual(['not_observable']);
    expect(verdict(meant, 'Observation: it was only thought of')).toEqual(['not_observable']);
  });

  it('is not observable where nothing shows what ran', () => {
    expect(judged(judgeThinkCalls, [drafted])).toEqual(['not_observable']);
  });
});

it('a draft after a thought within its thought is a draft, in every form', () => {
  const search = (query: string) => ({ name: 'search', args: { query } });
  for (const form of CALL_FORMS) {
    const [draft, meant] = ['draft', 'meant'].map((query) => writeCalls(form, [search(query)], 0));
    const nested = call({ rawText: `<think>a <think>b</think> ${draft}</think>${meant}<|im_end|>` });
    const asRun = (query: string) => following(nested, `executed search {"query": "${query}"}`);
    expect(judged(judgeThinkCalls, [nested, asRun('meant')], null, form), form).toEqual(['faithful']);
    expect(judged(judgeThinkCalls, [nested, asRun('draft')], null, form), form).toEqual(['laundered draft_executed']);
  }
});
