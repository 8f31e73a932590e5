import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import type { Access } from '../../access/access.ts';
import { RollstreamError } from '../../errors.ts';
import { endingOf } from './ending-of.ts';
import { gatherRollouts, type RecordedStep } from './gather-rollouts.ts';
import type { RecordedRollout, RecordedToolCall } from './recorded-rollout.ts';

/** A row of `live_steps`, as JSON; where a flag is not set, its list stands for nothing. */
interface StepRow {
  readonly rollout_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly segment_id: string;
  readonly kind: string;
  readonly text: string | null;
  readonly call_id: string | null;
  readonly status: string;
  readonly has_error: boolean;
  readonly error: string;
  readonly prompt_prefix_len: number | null;
  readonly prompt_delta_ids: readonly number[];
  readonly has_prompt_delta_ids: boolean;
  readonly completion_ids: readonly number[];
  readonly has_completion_ids: boolean;
  readonly completion_logprobs: readonly number[];
  readonly has_completion_logprobs: boolean;
  readonly spans: ReadonlyArray<readonly [number, string]>;
  readonly finish_reason: string | null;
  readonly calls: ReadonlyArray<readonly [string, string | null, string | null, string | null, string]>;
  readonly tool_name: string | null;
  readonly tool_turn: number | null;
  readonly executed_arguments: string | null;
  readonly reasons: ReadonlyArray<readonly [string, string, string | null, boolean]>;
  readonly task_metadata_json: string | null;
}

const STEPS = `SELECT rollout_id, task_id, attempt, segment_id, kind, text, call_id, status, has_error,
    concat(ifNull(error_type, ''), ': ', ifNull(error_message, '')) AS error, prompt_prefix_len,
    prompt_delta_ids, has_prompt_delta_ids, completion_ids, has_completion_ids, completion_logprobs, has_completion_logprobs,
    arrayZip(\`weight_spans.start\`, \`weight_spans.version\`) AS spans, finish_reason,
    arrayZip(\`tool_calls.call_id\`, \`tool_calls.name\`, \`tool_calls.arguments_raw\`, \`tool_calls.arguments_parsed\`,
      \`tool_calls.parse_status\`) AS calls,
    tool_name, tool_turn, executed_arguments, arrayZip(\`reasons.raw\`, \`reasons.system\`, \`reasons.detail\`, \`reasons.after_end\`) AS reasons,
    task_metadata_json
  FROM rollstream.live_steps
  WHERE run_id = {run:String} AND kind IN ('start', 'message', 'model_call', 'tool_result', 'end')
  ORDER BY epoch, rollout_id, attempt, seq, offset`;

/** Rollouts of a run, as they were accepted, of all attempts; RS_NOT_FOUND where there are none. */
export async function readRun(access: Access, runId: string, taxonomy: Taxonomy): Promise<RecordedRollout[]> {
  const text = await access.query(STEPS, 'jsonl', { run: runId });
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): StepRow => JSON.parse(line));
  if (rows.length === 0)
    throw new RollstreamError('RS_NOT_FOUND', `no run is named ${runId}`, { facts: { record: runId } });
  return gatherRollouts(rows.map((row) => stepOfRow(row, runId, taxonomy)));
}

function stepOfRow(row: StepRow, runId: string, taxonomy: Taxonomy): RecordedStep {
  const { kind, text } = row;
  const isToldText = kind === 'start' || kind === 'message';
  return {
    runId,
    rolloutId: row.rollout_id,
    taskId: row.task_id,
    attempt: row.attempt,
    segmentId: row.segment_id,
    where: `run ${runId}`,
    texts: [isToldText ? text : null, row.task_metadata_json].filter((one) => one !== null),
    call: kind === 'model_call' ? callOf(row) : null,
    result:
      kind !== 'tool_result'
        ? null
        : {
            callId: row.call_id ?? '',
            turn: row.tool_turn,
            name: row.tool_name,
            executed: row.executed_arguments,
            status: row.status,
            output: text,
          },
    ending: kind === 'end' ? endingOf(reasonsOf(row), row.has_error ? row.error : null, taxonomy) : null,
  };
}

function callOf(row: StepRow): NonNullable<RecordedStep['call']> {
  return {
    prefixLength: row.prompt_prefix_len ?? 0,
    deltaIds: row.has_prompt_delta_ids ? row.prompt_delta_ids : null,
    completionIds: row.has_completion_ids ? row.completion_ids : null,
    logprobs: row.has_completion_logprobs ? row.completion_logprobs.map(Math.fround) : null,
    rawText: row.text,
    finishReason: row.finish_reason,
    weightSpans: row.spans.map(([start, version]) => ({ start, version })),
    error: row.has_error ? row.error : null,
    toolCalls: row.calls.map(
      ([callId, name, raw, parsed, status]): RecordedToolCall => ({ callId, name, raw, parsed, status }),
    ),
  };
}

function reasonsOf({ reasons }: StepRow) {
  return reasons.map(([raw, system, detail, after_end]) => ({ raw, system, detail, after_end }));
}
