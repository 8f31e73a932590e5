import type { PlayedTurn } from '../play.ts';
import type { Json } from '../python-json.ts';
import type { Random } from '../random.ts';
import type { Task } from '../script/task.ts';

/** How an evaluator of strands-env saw one sample end. */
export interface StrandsSample {
  readonly id: string;
  readonly termination: string;
  readonly reward: { readonly reward: number; readonly info: { readonly [key: string]: Json } } | null;
  readonly aborted?: boolean;
  /** The tokens were not kept (`--keep-rollout` was off). */
  readonly withoutTokens?: boolean;
  /** Tools return after all calls of a turn ran; false: the loop ended while the last ones were still running. */
  readonly lastToolsAnswered?: boolean;
}

export type StrandsShape = 'current' | 'released';

/** A line of results.jsonl: the released package 0.5.1 keeps the task's data under `context` and gives messages an id. */
export function strandsLine(
  shape: StrandsShape,
  task: Task,
  turns: readonly PlayedTurn[],
  sample: StrandsSample,
  random: Random,
): Json {
  const messages = strandsMessages(task, turns, sample, random);
  const reward = sample.reward === null ? null : { reward: sample.reward.reward, info: sample.reward.info };
  return {
    task:
      shape === 'current'
        ? {
            id: sample.id,
            message: task.prompt,
            ground_truth: task.groundTruth,
            conversation_history: [],
            trace_attributes: null,
          }
        : {
            id: sample.id,
            message: task.prompt,
            context: { ground_truth: task.groundTruth, conversation_history: [] },
          },
    result: {
      messages: shape === 'current' ? messages : messages.map((message) => ({ ...message, tracking_id: uuid(random) })),
      rollout: sample.withoutTokens === true ? null : strandsRollout(turns),
      metrics: strandsMetrics(turns, messages.length, random),
      reward_result: reward,
      termination_reason: sample.termination,
    },
    aborted: sample.aborted ?? false,
    prompt_id: task.id,
  };
}

/** One flat sequence; prompt tokens carry the prefill's logprobs, the very first one none. */
function strandsRollout(turns: readonly PlayedTurn[]): Json {
  const tokenIds: number[] = [];
  const lossMask: number[] = [];
  const logprobs: (number | null)[] = [];
  const segmentInfo: Json[] = [];
  for (const turn of turns) {
    const observed = turn.promptIds.slice(turn.prefixLen);
    tokenIds.push(...observed, ...turn.completionIds);
    lossMask.push(...observed.map(() => 0), ...turn.completionIds.map(() => 1));
    logprobs.push(...turn.promptLogprobs, ...turn.logprobs);
    segmentInfo.push([false, observed.length], [true, turn.completionIds.length]);
  }
  if (logprobs.length > 0) logprobs[0] = null;
  return {
    token_ids: tokenIds,
    loss_mask: lossMask,
    logprobs,
    routed_experts: [],
    image_data: [],
    segment_info: segmentInfo,
  };
}

function strandsMessages(
  task: Task,
  turns: readonly PlayedTurn[],
  sample: StrandsSample,
  random: Random,
): { [key: string]: Json }[] {
  const messages: { [key: string]: Json }[] = [{ role: 'user', content: [{ text: task.prompt }] }];
  turns.forEach((turn, index) => {
    // Call ids start again at 0000 in each turn, as its parsers number them.
    const uses = turn.calls.map((call, at) => ({
      toolUse: { toolUseId: callId(at), name: call.name, input: { ...call.args } },
    }));
    messages.push({
      role: 'assistant',
      content: [{ text: turn.raw.replace('<|im_end|>', '') }, ...uses],
      metadata: {
        usage: {
          inputTokens: turn.promptIds.length,
          outputTokens: turn.completionIds.length,
          totalTokens: turn.promptIds.length + turn.completionIds.length,
          cacheReadInputTokens: turn.prefixLen,
        },
        metrics: { latencyMs: turn.ms, timeToFirstByteMs: 20 + Math.floor(random() * 60) },
      },
    });
    if (turn.calls.length === 0 || (index === turns.length - 1 && sample.lastToolsAnswered === false)) return;
    const results = turn.calls.map((call, at) => ({
      toolResult: {
        toolUseId: callId(at),
        status: (call.status ?? 'ok') === 'ok' ? 'success' : 'error',
        content: [{ text: call.output ?? '' }],
      },
    }));
    messages.push({ role: 'user', content: results });
  });
  return messages;
}

function callId(index: number): string {
  return `call_${String(index).padStart(4, '0')}`;
}

function strandsMetrics(turns: readonly PlayedTurn[], messageCount: number, random: Random): Json {
  const calls = turns.flatMap((turn) => turn.calls);
  const perTool: { [name: string]: Json } = {};
  for (const name of new Set(calls.map((call) => call.name))) {
    const own = calls.filter((call) => call.name === name);
    const errors = own.filter((call) => (call.status ?? 'ok') !== 'ok').length;
    perTool[name] = {
      is_known: true,
      calls: own.length,
      successes: own.length - errors,
      errors,
      parse_errors: 0,
      latency_s: round4(own.reduce((sum, call) => sum + (call.ms ?? 12), 0) / 1000),
    };
  }
  return {
    message_count: messageCount,
    model_calls: turns.length,
    model_latency_s: spread(turns.map((turn) => turn.ms / 1000)),
    input_tokens: spread(turns.map((turn) => turn.promptIds.length)),
    output_tokens: spread(turns.map((turn) => turn.completionIds.length)),
    cache_read_input_tokens: spread(turns.map((turn) => turn.prefixLen)),
    cache_hit_rate: null,
    tool_iters: turns.filter((turn) => turn.calls.length > 0).length,
    tool_calls: calls.length,
    cancelled_tool_calls: 0,
    per_tool_metrics: calls.length > 0 ? perTool : null,
    reward_latency_s: round4(0.002 + random() * 0.02),
  };
}

function spread(values: readonly number[]): Json {
  if (values.length === 0) return null;
  const total = values.reduce((sum, value) => sum + value, 0);
  return {
    total: round4(total),
    max: Math.max(...values),
    mean: round4(total / values.length),
    min: Math.min(...values),
  };
}

function round4(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, (_, at) =>
    at === 12 ? '4' : at === 16 ? '89ab'.charAt(Math.floor(random() * 4)) : Math.floor(random() * 16).toString(16),
  ).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
