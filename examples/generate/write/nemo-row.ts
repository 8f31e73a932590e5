import type { PlayedTurn } from '../play.ts';
import { type Json, pythonJson } from '../python-json.ts';
import type { Random } from '../random.ts';
import type { Task } from '../script/task.ts';

/** How NeMo Gym's collector wrote one rollout down. */
export interface NemoOutcome {
  readonly agent: string;
  readonly taskIndex: number;
  readonly rolloutIndex: number;
  readonly attemptIndex?: number;
  /** undefined: the row has no such field, because the verifier never ran; null: it ran and gave none. */
  readonly reward?: number | null;
  readonly incomplete?: string;
  /** Such rows go to the `_failures.jsonl` sidecar. */
  readonly failure?: { readonly class: string; readonly stage: string; readonly message: string };
}

const CREATED_AT_S = 1_772_442_000;

/** Of one model call. */
export const MAX_OUTPUT_TOKENS = 96;

/** A row of rollouts.jsonl: a Responses object with token ids on the last item of each model call. */
export function nemoRow(task: Task, turns: readonly PlayedTurn[], outcome: NemoOutcome, random: Random): Json {
  const output = turns.flatMap((turn) => outputItems(turn, random));
  const row: { [key: string]: Json } = {
    responses_create_params: {
      input: [
        { type: 'message', role: 'system', content: task.system },
        { type: 'message', role: 'user', content: task.prompt },
      ],
      max_output_tokens: MAX_OUTPUT_TOKENS,
      model: null,
      parallel_tool_calls: true,
      temperature: 1.0,
      top_p: 1.0,
      tool_choice: 'auto',
      tools: task.tools.map((tool) => ({
        type: 'function',
        name: tool.name,
        description: tool.description,
        parameters: { ...tool.parameters },
        strict: true,
      })),
    },
    response: {
      id: `resp_${hex(random, 32)}`,
      created_at: CREATED_AT_S + outcome.taskIndex * 600 + outcome.rolloutIndex * 37,
      error: null,
      incomplete_details: outcome.incomplete === undefined ? null : { reason: outcome.incomplete },
      metadata: {},
      model: 'Qwen/Qwen3-4B',
      object: 'response',
      output,
      parallel_tool_calls: true,
      temperature: 1.0,
      tool_choice: 'auto',
      tools: [],
      top_p: 1.0,
      status: null,
      usage: usage(turns),
    },
  };
  if (outcome.reward !== undefined) row.reward = outcome.reward;
  row.expected_answer = task.groundTruth;
  row._ng_task_index = outcome.taskIndex;
  row._ng_rollout_index = outcome.rolloutIndex;
  if (outcome.attemptIndex !== undefined) row._ng_attempt_index = outcome.attemptIndex;
  if (outcome.failure !== undefined) {
    row._ng_failure_class = outcome.failure.class;
    row._ng_failure_stage = outcome.failure.stage;
    row[outcome.failure.stage === 'verify' ? '_ng_failure_judge_error' : '_ng_failure_error'] = outcome.failure.message;
    row._ng_failure_terminal = false;
  }
  row.agent_ref = { type: 'responses_api_agents', name: outcome.agent };
  return row;
}

function outputItems(turn: PlayedTurn, random: Random): Json[] {
  const items: { [key: string]: Json }[] = [];
  const closed = turn.raw.includes('</think>');
  const thought = closed ? turn.think : turn.raw.replace('<think>\n', '');
  items.push({ id: `rs_${hex(random, 32)}`, type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] });
  if (turn.say !== '' && closed) {
    const said = turn.calls.length > 0 ? turn.say : turn.raw.split('</think>\n\n').at(-1)?.replace('<|im_end|>', '');
    items.push({
      id: `msg_${hex(random, 32)}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said ?? '', annotations: [], logprobs: null }],
    });
  }
  const called = turn.calls.map((call) => ({ call, id: `call_${hex(random, 24)}` }));
  for (const { call, id } of called) {
    items.push({
      id,
      call_id: id,
      type: 'function_call',
      name: call.name,
      arguments: pythonJson({ ...call.args }),
      status: null,
    });
  }
  const last = items.at(-1);
  if (last !== undefined) {
    last.prompt_token_ids = [...turn.promptIds];
    last.generation_token_ids = [...turn.completionIds];
    last.generation_log_probs = [...turn.logprobs];
  }
  for (const { call, id } of called) {
    if (call.output === null) continue;
    items.push({ id: null, call_id: id, type: 'function_call_output', output: call.output, status: null });
  }
  return items;
}

function usage(turns: readonly PlayedTurn[]): Json {
  const input = turns.reduce((sum, turn) => sum + turn.promptIds.length, 0);
  const output = turns.reduce((sum, turn) => sum + turn.completionIds.length, 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}
