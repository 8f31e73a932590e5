import { expect, test } from 'vitest';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import type { Importer } from '../../../src/ingest/importer.ts';
import { nemoGym } from '../../../src/ingest/importers/nemo-gym.ts';
import { strandsEnv } from '../../../src/ingest/importers/strands-env.ts';
import { eventsOf } from './importers/imported.ts';

/**
 * A source says more than any version of an importer knows. Each object of a line gets a field nobody has heard of, and each
 * text a number of its own: all of them have to be found again somewhere in the events.
 */
function marked(line: unknown): { line: unknown; marks: string[] } {
  const marks: string[] = [];
  const mark = (): string => {
    marks.push(`mark-${marks.length}-`);
    return marks.at(-1) ?? '';
  };
  function visit(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    if (typeof value === 'string') return FIXED.has(key) ? value : `${mark()}${value}`;
    if (typeof value !== 'object' || value === null) return value;
    const object = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
    return { ...object, surprise: mark() };
  }
  return { line: visit(line, ''), marks };
}

/** Words of a vocabulary; anything else in their place would be another kind of line. */
const FIXED = new Set(['role', 'type', 'status', 'toolUseId', 'call_id', 'termination_reason', 'routed_experts']);

function textOf(events: readonly StepEvent[]): string {
  return JSON.stringify(events, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
      ? Buffer.from(Array.isArray(value.data) ? value.data : []).toString()
      : value,
  );
}

async function missing(importer: Importer, plain: unknown): Promise<string[]> {
  const { line, marks } = marked(plain);
  const text = textOf(await eventsOf(importer, [line]));
  expect(marks.length).toBeGreaterThan(20);
  return marks.filter((mark) => !text.includes(mark));
}

const strandsResult = {
  messages: [
    { role: 'user', tracking_id: 't0', content: [{ text: 'q' }] },
    {
      role: 'assistant',
      tracking_id: 't1',
      content: [
        { text: 'a' },
        { toolUse: { toolUseId: 'c', name: 'calc', input: { e: '1' } } },
        { text: 'b' },
        { image: { url: 'u' } },
      ],
      metadata: { usage: { inputTokens: 1, note: 'n' }, metrics: { latencyMs: 1, note: 'n' }, custom: { a: 'b' } },
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'c', status: 'odd', content: [{ text: 'x' }, { json: { y: 'z' } }] } },
        { text: 'and more' },
      ],
    },
  ],
  rollout: {
    token_ids: [1, 2],
    loss_mask: [0, 1],
    logprobs: [null, -1],
    segment_info: [
      [false, 1],
      [true, 1],
    ],
    routed_experts: ['QQ'],
  },
  metrics: { per_tool_metrics: { calc: { calls: 1, parse_errors: 0 } }, note: 'n' },
  reward_result: { reward: 0.5, info: { why: 'because', deep: { er: 'still' } } },
  termination_reason: 'task_complete',
};

test.each([
  [
    'strands-env, current',
    strandsEnv,
    {
      task: {
        id: 'i',
        message: { role: 'user', content: [{ text: 'm' }] },
        ground_truth: { a: 'b' },
        conversation_history: [{ role: 'user', content: [{ text: 'h' }] }],
      },
      result: strandsResult,
      aborted: false,
      prompt_id: 'p',
      later: { added: 'field' },
    },
  ],
  [
    'strands-env, released',
    strandsEnv,
    {
      task: { id: 'i', message: 'm', context: { ground_truth: 'g', conversation_history: [] } },
      result: strandsResult,
      prompt_id: 'p',
    },
  ],
  [
    'strands-env, legacy',
    strandsEnv,
    {
      action: { message: 'm', task_context: { id: 'i', ground_truth: 'g', more: { a: 'b' } } },
      step_result: {
        observation: {
          messages: strandsResult.messages,
          tokens: strandsResult.rollout,
          metrics: strandsResult.metrics,
          routed_experts: null,
        },
        reward: strandsResult.reward_result,
        termination_reason: 'timeout',
      },
      prompt_id: 'p',
    },
  ],
  [
    'nemo-gym',
    nemoGym,
    {
      responses_create_params: {
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'q' }] }],
        tools: [{ name: 'calc', parameters: { a: 'b' } }],
        temperature: 1,
        metadata: { a: 'b' },
      },
      response: {
        id: 'r',
        model: 'm',
        output: [
          { type: 'reasoning', summary: [{ text: 's' }] },
          {
            type: 'function_call',
            call_id: 'c',
            name: 'calc',
            arguments: '{}',
            prompt_token_ids: [1],
            generation_token_ids: [2],
            generation_log_probs: [-1],
          },
          { type: 'function_call_output', call_id: 'c', output: 'o' },
          { type: 'message', role: 'user', content: 'go on' },
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ text: 'a', annotations: [{ a: 'b' }] }],
          },
        ],
        usage: { note: 'n' },
        incomplete_details: { reason: 'content_filter' },
      },
      reward: 0.5,
      agent_ref: { name: 'agent' },
      verifier_metadata: { truth: 't' },
      details: { tests: [{ name: 'n' }] },
      _ng_task_index: 1,
      _ng_rollout_index: 2,
      _ng_other: 'x',
      agent_error_kind: 'k',
    },
  ],
  [
    'nemo-gym, failed',
    nemoGym,
    {
      responses_create_params: { input: 'q' },
      response: { output: [], error: { code: 'c', message: 'm' }, a: { b: 'c' } },
      _ng_failure_class: 'sandbox',
      error: 'e',
      trace: ['t1', 't2'],
      more: { c: { d: 'e' }, f: [{ g: 'h' }, { i: 'j' }, { k: 'l' }] },
    },
  ],
])('%s: everything a line says is somewhere in its events', async (_, importer, line) => {
  expect(await missing(importer, line)).toEqual([]);
});
