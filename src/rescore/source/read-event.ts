import type { Decoded } from '../../../processors/model/record.ts';
import type {
  Control,
  End,
  Message,
  ModelCall,
  Phase,
  Start,
  StepEvent,
  ToolResult,
  Verdict,
} from '../../../schemas/generated/step-event.ts';
import type { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { decodeWtf8 } from '../../clickhouse/wtf8.ts';
import { callSection } from './sections/call-section.ts';
import { createReadDetail } from './sections/detail.ts';
import { endSection } from './sections/end-section.ts';
import { controlType, phaseName, toolStatus, verdictStatus } from './sections/enums.ts';
import { resultSection } from './sections/result-section.ts';
import { skipSection } from './sections/section.ts';
import { type SharedColumns, sharedSection } from './sections/shared-section.ts';
import { startSection } from './sections/start-section.ts';

/**
 * Columns of `steps` or `step_faults`, in the order in which `read` takes them, and the event that they were written from. For one
 * reader.
 */
export interface EventRows {
  readonly select: readonly string[];
  read(reader: RowBinaryReader): Decoded;
}

/**
 * The inverse of `eventColumns` and `eventRest`: the event as the lane saw it, field by field. Without tokens: ids and logprobs are
 * zeros of their number, and what no score depends on is null: texts, arguments, tools, who answered, what the source said besides.
 */
export function createEventRows({ withTokens }: { readonly withTokens: boolean }): EventRows {
  const shared = sharedSection(withTokens);
  const call = callSection(withTokens);
  const start = startSection(withTokens);
  const result = resultSection(withTokens);
  const words = { select: [...(withTokens ? ['role'] : []), 'phase', 'control_type'] };
  const detail = {
    start: createReadDetail<Start>('start', [
      ...(['tokenizer_id', 'template_vars_json', 'sampling', 'limits', 'seeds', 'env_image_digest'] as const),
    ]),
    call: createReadDetail<ModelCall>('model_call', ['sampling', 'usage', 'aux_ref']),
    message: createReadDetail<Message>('message', []),
    result: createReadDetail<ToolResult>('tool_result', ['output_ref']),
    phase: createReadDetail<Phase>('phase', ['detail']),
    verdict: createReadDetail<Verdict>('verdict', ['scorer', 'scorer_version', 'rewards', 'bound_to', 'report_json']),
    end: createReadDetail<End>('end', ['limit']),
    control: createReadDetail<Control>('control', ['deadline', 'policy', 'weights', 'gate']),
  };

  const readStart = (reader: RowBinaryReader, of: SharedColumns): Start => {
    const columns = start.read(reader);
    const { fields: rest, complete } = detail.start(of.detail);
    return complete({
      prompt: of.text,
      task_metadata_json: columns.task_metadata_json,
      tools_json: columns.tools_json,
      tokenizer_id: rest.tokenizer_id ?? null,
      tokenizer_sha256: columns.tokenizer_sha256,
      template_sha256: columns.template_sha256,
      template_vars_json: rest.template_vars_json ?? null,
      sampling: rest.sampling ?? null,
      limits: rest.limits ?? null,
      weights_version: columns.weights_version,
      seeds: rest.seeds ?? {},
      env_image_digest: rest.env_image_digest ?? null,
    });
  };
  const readCall = (reader: RowBinaryReader, of: SharedColumns): ModelCall => {
    const columns = call.read(reader);
    const { fields: rest, complete } = detail.call(of.detail);
    return complete({
      call_id: of.call_id ?? '',
      model: columns.model,
      replica: columns.replica,
      prompt_prefix_len: columns.prompt_prefix_len,
      prompt_delta_ids: columns.prompt_delta_ids,
      completion_ids: columns.completion_ids,
      completion_logprobs: columns.completion_logprobs,
      logprobs_mode: columns.logprobs_mode,
      weight_spans: columns.weight_spans,
      raw_text: of.text,
      finish_reason: columns.finish_reason,
      sampling: rest.sampling ?? null,
      usage: rest.usage ?? null,
      queue_us: columns.queue_us,
      prefill_us: columns.prefill_us,
      decode_us: columns.decode_us,
      server_e2e_us: columns.server_e2e_us,
      tool_calls: columns.tool_calls,
      aux_ref: rest.aux_ref ?? null,
      error: of.error,
    });
  };
  const readResult = (reader: RowBinaryReader, of: SharedColumns): ToolResult => {
    const columns = result.read(reader);
    const { fields: rest, complete } = detail.result(of.detail);
    return complete({
      call_id: of.call_id ?? '',
      turn: columns.turn,
      name: columns.name,
      executed_arguments: columns.executed_arguments,
      status: toolStatus(of.status),
      output: of.text,
      output_ref: rest.output_ref ?? null,
      exit_code: columns.exit_code,
      wait_us: columns.wait_us,
      exec_us: columns.exec_us,
      error: of.error,
    });
  };
  const readEnd = (reader: RowBinaryReader, of: SharedColumns): End => {
    const { reasons, env_reward } = endSection.read(reader);
    const { fields: rest, complete } = detail.end(of.detail);
    const { limit } = rest;
    return complete({ reasons, final_response: of.text, env_reward, exception: of.error, limit: limit ?? null });
  };
  const verdictOf = (of: SharedColumns): Verdict => {
    const { fields: rest, complete } = detail.verdict(of.detail);
    return complete({
      scorer: rest.scorer ?? '',
      scorer_version: rest.scorer_version ?? '',
      status: verdictStatus(of.status),
      rewards: rest.rewards ?? {},
      bound_to: rest.bound_to ?? null,
      report_json: rest.report_json ?? null,
    });
  };
  const phaseOf = (of: SharedColumns, phase: string): Phase => {
    const { fields: rest, complete } = detail.phase(of.detail);
    return complete({ phase: phaseName(phase), detail: rest.detail ?? null, error: of.error });
  };
  const messageOf = (of: SharedColumns, role: string): Message =>
    detail.message(of.detail).complete({ role, parts_json: of.text === null ? '' : decodeWtf8(of.text) });
  const controlOf = (of: SharedColumns, type: string): Control => {
    const { fields: rest, complete } = detail.control(of.detail);
    const { deadline = null, policy = null, weights = null, gate = null } = rest;
    return complete({ type: controlType(type), deadline, policy, weights, gate });
  };

  return {
    select: [
      ...shared.select,
      ...words.select,
      ...result.select,
      ...endSection.select,
      ...start.select,
      ...call.select,
    ],
    read(reader) {
      const of = shared.read(reader);
      const { kind } = of;
      const role = withTokens ? reader.string() : '';
      const phase = reader.string();
      const control = reader.string();
      let tool: ToolResult | null = null;
      let end: End | null = null;
      let started: Start | null = null;
      let called: ModelCall | null = null;
      if (kind === 'tool_result') tool = readResult(reader, of);
      else skipSection(reader, result);
      if (kind === 'end') end = readEnd(reader, of);
      else skipSection(reader, endSection);
      if (kind === 'start') started = readStart(reader, of);
      else skipSection(reader, start);
      if (kind === 'model_call') called = readCall(reader, of);
      else skipSection(reader, call);
      const event: StepEvent = {
        run_id: of.run_id,
        purpose: of.purpose,
        env_name: of.env_name,
        task_id: of.task_id,
        epoch: of.epoch,
        group_id: of.group_id,
        group_size: of.group_size,
        rollout_id: of.rollout_id,
        attempt: of.attempt,
        segment_id: of.segment_id,
        seq: of.seq,
        event_id: of.event_id,
        producer_id: of.producer_id,
        kind,
        started_at: of.started_at,
        ended_at: of.ended_at,
        duration_us: of.duration_us,
        source: of.source,
        extra_json: of.extra_json,
        start: started,
        model_call: called,
        message: kind === 'message' ? messageOf(of, role) : null,
        tool_result: tool,
        phase: kind === 'phase' ? phaseOf(of, phase) : null,
        verdict: kind === 'verdict' ? verdictOf(of) : null,
        end,
        control: kind === 'control' ? controlOf(of, control) : null,
      };
      return { unit: of.unit, event, cause: { offset: of.offset, appendedAtMs: of.appendedAtMs } };
    },
  };
}
