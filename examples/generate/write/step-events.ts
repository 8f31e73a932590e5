import type { PlayedTurn } from '../play.ts';
import { type Json, pythonJson } from '../python-json.ts';
import type { Call } from '../script/script.ts';
import type { Task } from '../script/task.ts';
import { createEventLog, type StepLine } from './event-log.ts';

/** Time that something other than the model or a tool took. */
export interface PhasePlan {
  readonly phase: 'sandbox_setup' | 'queue' | 'rate_limit' | 'weight_sync' | 'verify' | 'cleanup';
  readonly ms: number;
  readonly detail?: string;
  readonly error?: { readonly type: string; readonly message: string };
}

/** What a recorder in the agent loop saw of one attempt. */
export interface AttemptPlan {
  readonly runId: string;
  readonly purpose?: 'train' | 'eval';
  readonly envName: string;
  readonly groupId?: string;
  readonly groupSize?: number;
  readonly rolloutId: string;
  readonly attempt?: number;
  /** Wall clock of the start, ms since the epoch. */
  readonly startMs: number;
  /** Of one call; 512 unless given. */
  readonly maxTokens?: number;
  /** The engine says how long it read and wrote; else only how long it had the call. */
  readonly timed?: boolean;
  readonly limits?: { readonly [key: string]: number };
  /** Version of the weights by turn and token: [turn, token, version]. The first entry is the start's. */
  readonly weights: readonly (readonly [turn: number, token: number, version: string])[];
  /** The engine's finish reason of the last call; the calls before it stopped by themselves. */
  readonly lastFinish?: { readonly [key: string]: Json };
  /** Phases before a turn, by its number. */
  readonly before?: { readonly [turn: number]: readonly PhasePlan[] };
  readonly end: {
    readonly raw: string;
    readonly system: string;
    readonly limit?: Json;
    readonly exception?: Json;
    readonly finalResponse?: string;
  } | null;
  /** After the end, in this order: they carry no seq. */
  readonly after?: readonly (PhasePlan | VerdictPlan)[];
}

export interface VerdictPlan {
  readonly verdict: 'scored' | 'timeout' | 'crash' | 'not_run';
  readonly reward?: number;
  readonly report: { readonly [key: string]: Json };
  /** `file-check` 1.2.0 unless given. */
  readonly scorer?: readonly [name: string, version: string];
}

/** SHA-256 of what the prompts were made with. */
export interface TokenizerFacts {
  readonly tokenizerSha256: string;
  readonly templateSha256: string;
}

const STOP = { type: 'stop', matched: 151_645 };

/** The step events of one attempt, in the order they happened. */
export function stepEvents(
  task: Task,
  turns: readonly PlayedTurn[],
  plan: AttemptPlan,
  facts: TokenizerFacts,
): StepLine[] {
  const log = createEventLog(task, plan);
  log.add('start', 0, {
    prompt: task.prompt,
    task_metadata_json: JSON.stringify({ ground_truth: task.groundTruth }),
    tools_json: JSON.stringify(task.tools),
    tokenizer_id: 'Qwen/Qwen3-4B',
    tokenizer_sha256: facts.tokenizerSha256,
    template_sha256: facts.templateSha256,
    template_vars_json: '{"enable_thinking":true}',
    sampling: { temperature: 1, top_p: 1, top_k: -1, max_tokens: plan.maxTokens ?? 512 },
    ...(plan.limits === undefined ? {} : { limits: { ...plan.limits } }),
    weights_version: plan.weights[0]?.[2] ?? null,
    seeds: { sampler: plan.startMs % 100_000 },
  });
  turns.forEach((turn, index) => {
    for (const phase of plan.before?.[index] ?? []) log.add('phase', phase.ms, phaseBody(phase));
    if (turn.user !== null)
      log.add('message', 0, { role: 'user', parts_json: JSON.stringify([{ type: 'text', text: turn.user }]) });
    log.add('model_call', turn.ms, modelCall(turn, index, index === turns.length - 1, plan));
    turn.calls.forEach((call, at) => {
      if (call.output !== null || call.status !== undefined)
        log.add('tool_result', call.ms ?? 12, toolResult(call, at, index));
    });
  });
  if (plan.end !== null) {
    log.add('end', 0, {
      reasons: [{ raw: plan.end.raw, system: plan.end.system }],
      ...(plan.end.limit === undefined ? {} : { limit: plan.end.limit }),
      ...(plan.end.exception === undefined ? {} : { exception: plan.end.exception }),
      ...(plan.end.finalResponse === undefined ? {} : { final_response: plan.end.finalResponse }),
    });
  }
  for (const later of plan.after ?? []) {
    if ('verdict' in later) log.addUnordered('verdict', 0, verdictBody(later));
    else log.addUnordered('phase', later.ms, phaseBody(later));
  }
  return log.lines;
}

const PREFILL_US = 8_000;

function modelCall(turn: PlayedTurn, index: number, last: boolean, plan: AttemptPlan): { [key: string]: Json } {
  const queueUs = 1_500 + ((index * 700) % 2_000);
  const serverUs = turn.ms * 1000 - 2_000;
  const finish = last && plan.lastFinish !== undefined ? plan.lastFinish : STOP;
  return {
    call_id: `gen-${index}`,
    model: 'Qwen/Qwen3-4B',
    replica: `engine-${plan.startMs % 2}`,
    prompt_prefix_len: turn.prefixLen,
    prompt_delta_ids: turn.promptIds.slice(turn.prefixLen),
    completion_ids: [...turn.completionIds],
    completion_logprobs: [...turn.logprobs],
    logprobs_mode: 'raw',
    weight_spans: weightSpans(index, plan),
    raw_text: turn.raw,
    finish_reason: JSON.stringify(finish),
    usage: {
      prompt_tokens: turn.promptIds.length,
      completion_tokens: turn.completionIds.length,
      cached_tokens: turn.prefixLen,
    },
    queue_us: queueUs,
    ...(plan.timed === true ? { prefill_us: PREFILL_US, decode_us: serverUs - queueUs - PREFILL_US } : {}),
    server_e2e_us: serverUs,
    tool_calls: turn.calls.map((call, at) => ({
      call_id: `call_${at}`,
      name: call.name,
      arguments_raw: pythonJson({ ...call.args }),
      arguments_parsed: JSON.stringify(call.args),
      parse_status: 'ok',
      parser: 'hermes',
    })),
  };
}

/** The versions of this turn: the last one named before it, then each that took over within it. */
function weightSpans(index: number, plan: AttemptPlan): Json[] {
  const earlier = plan.weights.filter(([turn, token]) => turn < index || (turn === index && token === 0)).at(-1);
  const within = plan.weights.filter(([turn, token]) => turn === index && token > 0);
  return [
    ...(earlier === undefined ? [] : [{ start: 0, version: earlier[2] }]),
    ...within.map(([, start, version]) => ({ start, version })),
  ];
}

function toolResult(call: Call, at: number, turn: number): { [key: string]: Json } {
  const status = call.status ?? 'ok';
  return {
    call_id: `call_${at}`,
    turn,
    name: call.name,
    executed_arguments: JSON.stringify(call.args),
    status,
    output: call.output,
    exec_us: (call.ms ?? 12) * 1000,
    ...(status === 'sandbox_error'
      ? { error: { type: 'SandboxError', message: 'container exited with code 137' } }
      : {}),
  };
}

function phaseBody(plan: PhasePlan): { [key: string]: Json } {
  return {
    phase: plan.phase,
    ...(plan.detail === undefined ? {} : { detail: plan.detail }),
    ...(plan.error === undefined ? {} : { error: { ...plan.error } }),
  };
}

function verdictBody(plan: VerdictPlan): { [key: string]: Json } {
  const [scorer, version] = plan.scorer ?? ['file-check', '1.2.0'];
  return {
    scorer,
    scorer_version: version,
    status: plan.verdict,
    rewards: plan.reward === undefined ? {} : { correct: plan.reward },
    report_json: JSON.stringify(plan.report),
  };
}
