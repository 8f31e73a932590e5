// Generated from schemas/step-event.avsc by `npm run schemas`. Do not edit.
import type { Schema } from 'avsc';

/** Only `train` reaches the ready topic. */
export type Purpose = 'train' | 'eval' | 'synthesis' | 'unknown';

/** What happened. */
export type EventKind = 'start' | 'model_call' | 'message' | 'tool_result' | 'phase' | 'verdict' | 'end' | 'control' | 'unknown';

/** Where the event was read from. */
export interface Source {
  /** Format or client library, such as `strands-env` or `nemo-gym`. */
  format: string;
  /** Version or shape of it; empty when the source has none. */
  version: string;
  /** File and line, for messages to people. Not part of the event's identity. */
  location: null | string;
}

export interface SourceInit {
  format: string;
  version?: string;
  location?: null | string;
}

/** How tokens were drawn. null means that the source does not say. */
export interface Sampling {
  /** Softmax temperature. */
  temperature: null | number;
  /** Nucleus mass. */
  top_p: null | number;
  /** Number of candidates; -1: all. */
  top_k: null | number;
  /** Limit of new tokens of a call. */
  max_tokens: null | number;
  /** Seed of the sampler. */
  seed: null | number;
  /** Other sampling parameters, a JSON object. */
  extra_json: null | string;
}

export interface SamplingInit {
  temperature?: null | number;
  top_p?: null | number;
  top_k?: null | number;
  max_tokens?: null | number;
  seed?: null | number;
  extra_json?: null | string;
}

/** Limits the loop enforces; null: none, or unknown. */
export interface Limits {
  /** Tokens, prompt and completion together. */
  max_tokens: null | number;
  /** Model calls. */
  max_turns: null | number;
  /** Tool calls. */
  max_tool_calls: null | number;
  /** Wall clock, µs. */
  max_wall_us: null | number;
}

export interface LimitsInit {
  max_tokens?: null | number;
  max_turns?: null | number;
  max_tool_calls?: null | number;
  max_wall_us?: null | number;
}

/** An attempt begins. */
export interface Start {
  /** Task as text, UTF-8 (may hold lone surrogates, three bytes each). */
  prompt: null | Buffer;
  /** Task data for the trainer and the verifier (ground truth and the like), a JSON object. */
  task_metadata_json: null | string;
  /** Tool definitions offered to the model, a JSON array. */
  tools_json: null | string;
  /** Name of the tokenizer. */
  tokenizer_id: null | string;
  /** SHA-256 of tokenizer.json, hex. */
  tokenizer_sha256: null | string;
  /** SHA-256 of the chat template, hex. */
  template_sha256: null | string;
  /** Variables the template was rendered with (enable_thinking, date …), a JSON object. */
  template_vars_json: null | string;
  /** Default sampling parameters of the attempt. */
  sampling: null | Sampling;
  /** Limits of the attempt. */
  limits: null | Limits;
  /** Version of the weights when the attempt began. */
  weights_version: null | string;
  /** Seeds by name (environment, task, sampler). */
  seeds: Record<string, number>;
  /** Digest of the sandbox image. */
  env_image_digest: null | string;
}

export interface StartInit {
  prompt?: null | Buffer;
  task_metadata_json?: null | string;
  tools_json?: null | string;
  tokenizer_id?: null | string;
  tokenizer_sha256?: null | string;
  template_sha256?: null | string;
  template_vars_json?: null | string;
  sampling?: null | SamplingInit;
  limits?: null | LimitsInit;
  weights_version?: null | string;
  seeds?: Record<string, number>;
  env_image_digest?: null | string;
}

/** What the probabilities are of. raw: the model's own distribution; processed: after temperature, top-p and the like. */
export type LogprobsMode = 'raw' | 'processed' | 'unknown';

/** From token `start` on, `version` of the weights sampled, until the next span. */
export interface WeightSpan {
  /** Index of a token: of completion_ids on a model call, of token_ids on a trajectory. */
  start: number;
  /** Name of the weights, as policy.versions announced it. */
  version: string;
}

export interface WeightSpanInit {
  start: number;
  version: string;
}

/** Token counts as the engine reported them. */
export interface Usage {
  /** Prompt tokens. */
  prompt_tokens: null | number;
  /** Sampled tokens. */
  completion_tokens: null | number;
  /** Prompt tokens served from cache. */
  cached_tokens: null | number;
  /** Sampled tokens within reasoning. */
  reasoning_tokens: null | number;
}

export interface UsageInit {
  prompt_tokens?: null | number;
  completion_tokens?: null | number;
  cached_tokens?: null | number;
  reasoning_tokens?: null | number;
}

/** What the loop's parser made of it. */
export type ParseStatus = 'ok' | 'malformed' | 'repaired' | 'in_think' | 'unknown_tool' | 'unknown';

/** A tool call as the loop understood it. */
export interface ToolCall {
  /** Id of the tool call. Ids repeat between turns: the pair (turn, id) is the key. */
  call_id: string;
  /** Tool name. null: the call has none. */
  name: null | string;
  /** Arguments as the model wrote them, UTF-8. null: the source keeps only parsed ones. */
  arguments_raw: null | Buffer;
  /** Arguments after the parser, JSON text. null: nothing was parsed. */
  arguments_parsed: null | string;
  /** Where the call begins in raw_text, in characters. */
  char_start: null | number;
  /** Where it ends. */
  char_end: null | number;
  /** `unknown`: the source does not say. */
  parse_status: ParseStatus;
  /** Name of the parser. */
  parser: null | string;
}

export interface ToolCallInit {
  call_id: string;
  name?: null | string;
  arguments_raw?: null | Buffer;
  arguments_parsed?: null | string;
  char_start?: null | number;
  char_end?: null | number;
  parse_status?: ParseStatus;
  parser?: null | string;
}

/** Data beside the tokens (routed experts and the like), by reference. */
export interface AuxRef {
  /** What it is, such as routed_experts. */
  name: string;
  /** Where it is. */
  uri: string;
  /** SHA-256 of the bytes, hex. */
  sha256: null | string;
  /** Shape. */
  shape: number[];
  /** Element type, such as int32. */
  dtype: string;
}

export interface AuxRefInit {
  name: string;
  uri: string;
  sha256?: null | string;
  shape?: number[];
  dtype?: string;
}

/** An error as its source gave it. */
export interface Failure {
  /** Class or code. */
  type: null | string;
  /** Text. */
  message: null | string;
}

export interface FailureInit {
  type?: null | string;
  message?: null | string;
}

/** One request to the model. Only new tokens travel. */
export interface ModelCall {
  /** Identity of the call within the attempt, as the engine or loop gave it. */
  call_id: string;
  /** Model name. */
  model: null | string;
  /** Engine replica that answered. */
  replica: null | string;
  /** Tokens of this segment that this prompt reuses: the longest common prefix with the ids held. Shorter than what is held: the history was rewritten and a derived segment begins. Longer is a fault. */
  prompt_prefix_len: number;
  /** Prompt tokens after the prefix; little-endian uint32 each. null: the source has no token ids. */
  prompt_delta_ids: null | Buffer;
  /** Sampled tokens; little-endian uint32 each. null: the source has no token ids. */
  completion_ids: null | Buffer;
  /** Natural logarithm of each sampled token's probability; little-endian float32, as many as completion_ids. null: the source has none. */
  completion_logprobs: null | Buffer;
  /** `unknown`: the source does not say. */
  logprobs_mode: LogprobsMode;
  /** Versions of the weights by token of completion_ids. Empty: unknown. */
  weight_spans: WeightSpan[];
  /** Completion as text before any parser, UTF-8 (may hold lone surrogates). */
  raw_text: null | Buffer;
  /** The engine's finish reason, whole (a JSON object as JSON text). null: the source does not keep it. */
  finish_reason: null | string;
  /** Sampling parameters of this call, where they differ from the start's. */
  sampling: null | Sampling;
  /** Token counts. */
  usage: null | Usage;
  /** Waiting in the engine, µs. */
  queue_us: null | number;
  /** Prefill (time to first token without queue), µs. */
  prefill_us: null | number;
  /** Decode, µs. */
  decode_us: null | number;
  /** Whole request by the server's clock, µs. */
  server_e2e_us: null | number;
  /** Tool calls of this completion, in order. */
  tool_calls: ToolCall[];
  /** Auxiliary data by reference. */
  aux_ref: null | AuxRef;
  /** The call failed, as the client saw it. */
  error: null | Failure;
}

export interface ModelCallInit {
  call_id: string;
  model?: null | string;
  replica?: null | string;
  prompt_prefix_len?: number;
  prompt_delta_ids?: null | Buffer;
  completion_ids?: null | Buffer;
  completion_logprobs?: null | Buffer;
  logprobs_mode?: LogprobsMode;
  weight_spans?: WeightSpanInit[];
  raw_text?: null | Buffer;
  finish_reason?: null | string;
  sampling?: null | SamplingInit;
  usage?: null | UsageInit;
  queue_us?: null | number;
  prefill_us?: null | number;
  decode_us?: null | number;
  server_e2e_us?: null | number;
  tool_calls?: ToolCallInit[];
  aux_ref?: null | AuxRefInit;
  error?: null | FailureInit;
}

/** A turn that no model call made: system, user, or other. */
export interface Message {
  /** system, user, assistant, tool, developer … */
  role: string;
  /** Content, JSON; lone surrogates stay escaped. */
  parts_json: string;
}

export interface MessageInit {
  role: string;
  parts_json: string;
}

/** How it went. */
export type ToolStatus = 'ok' | 'tool_error' | 'timeout' | 'cancelled' | 'sandbox_error' | 'rate_limited' | 'not_executed' | 'unknown';

/** A tool ran, or did not. */
export interface ToolResult {
  /** Id of the tool call it answers. */
  call_id: string;
  /** Model call (from 0, over the attempt) whose tool call it answers. null: the last one before it. */
  turn: null | number;
  /** Tool name. */
  name: null | string;
  /** Arguments that were really executed, JSON text. */
  executed_arguments: null | string;
  /** `unknown`: the source does not say. */
  status: ToolStatus;
  /** What the model was shown, UTF-8. */
  output: null | Buffer;
  /** Where the output is, when it does not travel. */
  output_ref: null | string;
  /** Exit code of a process. */
  exit_code: null | number;
  /** Waiting for a slot or a sandbox, µs. */
  wait_us: null | number;
  /** Execution, µs. */
  exec_us: null | number;
  /** Error of the tool or of its sandbox. */
  error: null | Failure;
}

export interface ToolResultInit {
  call_id: string;
  turn?: null | number;
  name?: null | string;
  executed_arguments?: null | string;
  status?: ToolStatus;
  output?: null | Buffer;
  output_ref?: null | string;
  exit_code?: null | number;
  wait_us?: null | number;
  exec_us?: null | number;
  error?: null | FailureInit;
}

/** What the time was spent on. */
export type PhaseName = 'queue' | 'rate_limit' | 'sandbox_setup' | 'agent_setup' | 'model' | 'weight_sync' | 'tool_wait' | 'cpu' | 'verify' | 'cleanup' | 'trainer_wait' | 'other' | 'unknown';

/** Time spent on something, by the event's started_at, ended_at and duration_us. May follow the end. */
export interface Phase {
  /** Name of the phase. */
  phase: PhaseName;
  /** What exactly, or how it ended. */
  detail: null | string;
  /** The phase failed. A failed clean-up after a verified completion changes nothing. */
  error: null | Failure;
}

export interface PhaseInit {
  phase: PhaseName;
  detail?: null | string;
  error?: null | FailureInit;
}

/** Whether it answered. */
export type VerdictStatus = 'scored' | 'not_run' | 'timeout' | 'crash' | 'missing' | 'parse_error' | 'refused' | 'unknown';

/** What a verifier said about (rollout, attempt, turn), or that it did not. */
export interface Verdict {
  /** Name of the verifier. */
  scorer: string;
  /** Version of the verifier; empty when unknown. */
  scorer_version: string;
  /** Anything but `scored` has no reward. */
  status: VerdictStatus;
  /** Named rewards. null is not 0: it was asked for and is missing. */
  rewards: Record<string, null | number>;
  /** Model call (from 0, over the attempt) it judges. null: the whole attempt. */
  bound_to: null | number;
  /** Report of the verifier, JSON. */
  report_json: null | string;
}

export interface VerdictInit {
  scorer: string;
  scorer_version?: string;
  status: VerdictStatus;
  rewards?: Record<string, null | number>;
  bound_to?: null | number;
  report_json?: null | string;
}

/** Why the loop ended, in the source's own words. */
export interface RawReason {
  /** The source's value. */
  raw: string;
  /** Whose vocabulary it is: strands-env, nemo-gym, sglang … */
  system: string;
  /** Text beside it. */
  detail: null | string;
  /** It happened after the loop had decided to end (a clean-up that failed): kept, and decides nothing. */
  after_end: boolean;
}

export interface RawReasonInit {
  raw: string;
  system: string;
  detail?: null | string;
  after_end?: boolean;
}

/** A limit was reached. */
export interface LimitHit {
  /** tokens, context, turns, tool_calls, cost, wall_clock. */
  kind: string;
  /** The limit. */
  limit: null | number;
  /** What was used. */
  used: null | number;
}

export interface LimitHitInit {
  kind: string;
  limit?: null | number;
  used?: null | number;
}

/** The loop ended. Why it ended, what the engine said last and what a verifier thinks are three facts. */
export interface End {
  /** In the order the source gave them; the first is primary. */
  reasons: RawReason[];
  /** Final answer, UTF-8. */
  final_response: null | Buffer;
  /** Reward that the environment itself returned. Not a verdict. */
  env_reward: null | number;
  /** Exception that ended the loop. */
  exception: null | Failure;
  /** Limit that ended the loop. */
  limit: null | LimitHit;
}

export interface EndInit {
  reasons: RawReasonInit[];
  final_response?: null | Buffer;
  env_reward?: null | number;
  exception?: null | FailureInit;
  limit?: null | LimitHitInit;
}

/** What it controls. */
export type ControlType = 'deadline' | 'policy' | 'weights_version' | 'gate' | 'unknown';

/** Which time. */
export type DeadlineName = 'gap' | 'orphan' | 'idle' | 'lifetime' | 'verdict_missing' | 'group_incomplete' | 'source_ended' | 'unknown';

/** A time has passed. Void if what it saw no longer holds. */
export interface Deadline {
  /** Name of the deadline. */
  name: DeadlineName;
  /** Unit it is about; empty for source_ended. */
  unit: string;
  /** Offset of the record that opened the unit, for deadlines of a unit. */
  unit_start: null | number;
  /** What the lane saw of the attempt when it decided: void unless it still sees the same. */
  saw: null | string;
  /** producer_id that ended, for source_ended. */
  source: null | string;
}

export interface DeadlineInit {
  name: DeadlineName;
  unit?: string;
  unit_start?: null | number;
  saw?: null | string;
  source?: null | string;
}

/** From here on these documents decide. */
export interface PolicyInForce {
  /** SHA-256 of the policy document, hex. */
  policy_id: string;
  /** SHA-256 of the taxonomy, hex. */
  taxonomy_id: string;
}

export interface PolicyInForceInit {
  policy_id: string;
  taxonomy_id: string;
}

/** From here on the trainer updates this version. */
export interface WeightsInForce {
  /** Lineage of the run. */
  lineage: string;
  /** Name of the weights. */
  version: string;
  /** Place in the order of announcement within the lineage. */
  ordinal: number;
}

export interface WeightsInForceInit {
  lineage?: string;
  version: string;
  ordinal: number;
}

/** From here on the gate is in this state. */
export interface GateState {
  /** preflight, open, warn, quarantine, hold. While it is preflight or hold, what is ready is held. The run is the event's. */
  state: string;
  /** Limits that tripped, JSON. */
  why_json: null | string;
  /** Finding classes that are quarantined while the state is quarantine. */
  classes: string[];
  /** Number of the change, from 1 in each run: behind a higher one it changes nothing. 0: not numbered. */
  seq: number;
}

export interface GateStateInit {
  state: string;
  why_json?: null | string;
  classes?: string[];
  seq?: number;
}

/** What the pipeline itself decided and wrote into a partition; acts from its offset on. */
export interface Control {
  /** Which of the records below is set. */
  type: ControlType;
  /** Set when type is deadline. */
  deadline: null | Deadline;
  /** Set when type is policy. */
  policy: null | PolicyInForce;
  /** Set when type is weights_version. */
  weights: null | WeightsInForce;
  /** Set when type is gate. */
  gate: null | GateState;
}

export interface ControlInit {
  type: ControlType;
  deadline?: null | DeadlineInit;
  policy?: null | PolicyInForceInit;
  weights?: null | WeightsInForceInit;
  gate?: null | GateStateInit;
}

/** One thing that happened in an attempt of a rollout: what producers write to rollout.steps. Exactly one of the records start … control is set, the one that `kind` names. */
export interface StepEvent {
  /** Training run. Owner of policies, gates and accounting. */
  run_id: string;
  /** What the run is for. `unknown`: written by a newer producer; treated as not train. */
  purpose: Purpose;
  /** Environment that the rollout ran in. */
  env_name: string;
  /** The problem given to the agent. */
  task_id: string;
  /** Pass over the tasks; part of the identity of groups and rollouts, so that a second pass is no duplicate. */
  epoch: number;
  /** The rollouts sampled for one prompt. null: the rollout has no group. Never derived from text or position. */
  group_id: null | string;
  /** How many rollouts the group will have. null: unknown, members pass one by one, without advantage. */
  group_size: null | number;
  /** One sampled episode of a task. */
  rollout_id: string;
  /** Try of the rollout, from 0. A higher attempt supersedes the lower ones. */
  attempt: number;
  /** Flat token sequence this event belongs to; sub-agents have their own. */
  segment_id: string;
  /** Order within the attempt by its producer: from 0, without gaps. null for verdicts, phases after the end and control events, which are ordered by offset. */
  seq: null | number;
  /** Identity of this event; the same id again is a duplicate. */
  event_id: string;
  /** Who wrote it. The first producer of an attempt owns it. */
  producer_id: string;
  /** Which of the records below is set. `unknown`: from a newer producer; goes to dead-letter. */
  kind: EventKind;
  /** Wall clock at the beginning, µs since the epoch, UTC. null: the source has no time. */
  started_at: null | number;
  /** Wall clock at the end, µs since the epoch, UTC. null: the source has no time. */
  ended_at: null | number;
  /** Duration by the producer's monotonic clock, µs. null: not measured. Never ended_at - started_at of two hosts. */
  duration_us: null | number;
  /** Format and version of the source. */
  source: Source;
  /** What the source said and no field holds, a JSON object; lone surrogates stay escaped. */
  extra_json: null | string;
  /** Set when kind is start. */
  start: null | Start;
  /** Set when kind is model_call. */
  model_call: null | ModelCall;
  /** Set when kind is message. */
  message: null | Message;
  /** Set when kind is tool_result. */
  tool_result: null | ToolResult;
  /** Set when kind is phase. */
  phase: null | Phase;
  /** Set when kind is verdict. */
  verdict: null | Verdict;
  /** Set when kind is end. */
  end: null | End;
  /** Set when kind is control. */
  control: null | Control;
}

export interface StepEventInit {
  run_id: string;
  purpose?: Purpose;
  env_name: string;
  task_id: string;
  epoch?: number;
  group_id?: null | string;
  group_size?: null | number;
  rollout_id: string;
  attempt?: number;
  segment_id?: string;
  seq?: null | number;
  event_id: string;
  producer_id: string;
  kind: EventKind;
  started_at?: null | number;
  ended_at?: null | number;
  duration_us?: null | number;
  source: SourceInit;
  extra_json?: null | string;
  start?: null | StartInit;
  model_call?: null | ModelCallInit;
  message?: null | MessageInit;
  tool_result?: null | ToolResultInit;
  phase?: null | PhaseInit;
  verdict?: null | VerdictInit;
  end?: null | EndInit;
  control?: null | ControlInit;
}

export const stepEventSchema: Schema = {"type":"record","name":"StepEvent","doc":"One thing that happened in an attempt of a rollout: what producers write to rollout.steps. Exactly one of the records start … control is set, the one that `kind` names.","namespace":"io.rollstream.v1","fields":[{"name":"run_id","type":"string","doc":"Training run. Owner of policies, gates and accounting."},{"name":"purpose","type":{"type":"enum","name":"Purpose","doc":"Only `train` reaches the ready topic.","symbols":["train","eval","synthesis","unknown"],"default":"unknown"},"doc":"What the run is for. `unknown`: written by a newer producer; treated as not train.","default":"train"},{"name":"env_name","type":"string","doc":"Environment that the rollout ran in."},{"name":"task_id","type":"string","doc":"The problem given to the agent."},{"name":"epoch","type":"int","doc":"Pass over the tasks; part of the identity of groups and rollouts, so that a second pass is no duplicate.","default":0},{"name":"group_id","type":["null","string"],"doc":"The rollouts sampled for one prompt. null: the rollout has no group. Never derived from text or position.","default":null},{"name":"group_size","type":["null","int"],"doc":"How many rollouts the group will have. null: unknown, members pass one by one, without advantage.","default":null},{"name":"rollout_id","type":"string","doc":"One sampled episode of a task."},{"name":"attempt","type":"int","doc":"Try of the rollout, from 0. A higher attempt supersedes the lower ones.","default":0},{"name":"segment_id","type":"string","doc":"Flat token sequence this event belongs to; sub-agents have their own.","default":"main"},{"name":"seq","type":["null","int"],"doc":"Order within the attempt by its producer: from 0, without gaps. null for verdicts, phases after the end and control events, which are ordered by offset.","default":null},{"name":"event_id","type":"string","doc":"Identity of this event; the same id again is a duplicate."},{"name":"producer_id","type":"string","doc":"Who wrote it. The first producer of an attempt owns it."},{"name":"kind","type":{"type":"enum","name":"EventKind","doc":"What happened.","symbols":["start","model_call","message","tool_result","phase","verdict","end","control","unknown"],"default":"unknown"},"doc":"Which of the records below is set. `unknown`: from a newer producer; goes to dead-letter."},{"name":"started_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Wall clock at the beginning, µs since the epoch, UTC. null: the source has no time.","default":null},{"name":"ended_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Wall clock at the end, µs since the epoch, UTC. null: the source has no time.","default":null},{"name":"duration_us","type":["null","long"],"doc":"Duration by the producer's monotonic clock, µs. null: not measured. Never ended_at - started_at of two hosts.","default":null},{"name":"source","type":{"type":"record","name":"Source","doc":"Where the event was read from.","fields":[{"name":"format","type":"string","doc":"Format or client library, such as `strands-env` or `nemo-gym`."},{"name":"version","type":"string","doc":"Version or shape of it; empty when the source has none.","default":""},{"name":"location","type":["null","string"],"doc":"File and line, for messages to people. Not part of the event's identity.","default":null}]},"doc":"Format and version of the source."},{"name":"extra_json","type":["null","string"],"doc":"What the source said and no field holds, a JSON object; lone surrogates stay escaped.","default":null},{"name":"start","type":["null",{"type":"record","name":"Start","doc":"An attempt begins.","fields":[{"name":"prompt","type":["null","bytes"],"doc":"Task as text, UTF-8 (may hold lone surrogates, three bytes each).","default":null},{"name":"task_metadata_json","type":["null","string"],"doc":"Task data for the trainer and the verifier (ground truth and the like), a JSON object.","default":null},{"name":"tools_json","type":["null","string"],"doc":"Tool definitions offered to the model, a JSON array.","default":null},{"name":"tokenizer_id","type":["null","string"],"doc":"Name of the tokenizer.","default":null},{"name":"tokenizer_sha256","type":["null","string"],"doc":"SHA-256 of tokenizer.json, hex.","default":null},{"name":"template_sha256","type":["null","string"],"doc":"SHA-256 of the chat template, hex.","default":null},{"name":"template_vars_json","type":["null","string"],"doc":"Variables the template was rendered with (enable_thinking, date …), a JSON object.","default":null},{"name":"sampling","type":["null",{"type":"record","name":"Sampling","doc":"How tokens were drawn. null means that the source does not say.","fields":[{"name":"temperature","type":["null","double"],"doc":"Softmax temperature.","default":null},{"name":"top_p","type":["null","double"],"doc":"Nucleus mass.","default":null},{"name":"top_k","type":["null","int"],"doc":"Number of candidates; -1: all.","default":null},{"name":"max_tokens","type":["null","int"],"doc":"Limit of new tokens of a call.","default":null},{"name":"seed","type":["null","long"],"doc":"Seed of the sampler.","default":null},{"name":"extra_json","type":["null","string"],"doc":"Other sampling parameters, a JSON object.","default":null}]}],"doc":"Default sampling parameters of the attempt.","default":null},{"name":"limits","type":["null",{"type":"record","name":"Limits","doc":"Limits the loop enforces; null: none, or unknown.","fields":[{"name":"max_tokens","type":["null","long"],"doc":"Tokens, prompt and completion together.","default":null},{"name":"max_turns","type":["null","int"],"doc":"Model calls.","default":null},{"name":"max_tool_calls","type":["null","int"],"doc":"Tool calls.","default":null},{"name":"max_wall_us","type":["null","long"],"doc":"Wall clock, µs.","default":null}]}],"doc":"Limits of the attempt.","default":null},{"name":"weights_version","type":["null","string"],"doc":"Version of the weights when the attempt began.","default":null},{"name":"seeds","type":{"type":"map","values":"long"},"doc":"Seeds by name (environment, task, sampler).","default":{}},{"name":"env_image_digest","type":["null","string"],"doc":"Digest of the sandbox image.","default":null}]}],"doc":"Set when kind is start.","default":null},{"name":"model_call","type":["null",{"type":"record","name":"ModelCall","doc":"One request to the model. Only new tokens travel.","fields":[{"name":"call_id","type":"string","doc":"Identity of the call within the attempt, as the engine or loop gave it."},{"name":"model","type":["null","string"],"doc":"Model name.","default":null},{"name":"replica","type":["null","string"],"doc":"Engine replica that answered.","default":null},{"name":"prompt_prefix_len","type":"int","doc":"Tokens of this segment that this prompt reuses: the longest common prefix with the ids held. Shorter than what is held: the history was rewritten and a derived segment begins. Longer is a fault.","default":0},{"name":"prompt_delta_ids","type":["null","bytes"],"doc":"Prompt tokens after the prefix; little-endian uint32 each. null: the source has no token ids.","default":null},{"name":"completion_ids","type":["null","bytes"],"doc":"Sampled tokens; little-endian uint32 each. null: the source has no token ids.","default":null},{"name":"completion_logprobs","type":["null","bytes"],"doc":"Natural logarithm of each sampled token's probability; little-endian float32, as many as completion_ids. null: the source has none.","default":null},{"name":"logprobs_mode","type":{"type":"enum","name":"LogprobsMode","doc":"What the probabilities are of. raw: the model's own distribution; processed: after temperature, top-p and the like.","symbols":["raw","processed","unknown"],"default":"unknown"},"doc":"`unknown`: the source does not say.","default":"unknown"},{"name":"weight_spans","type":{"type":"array","items":{"type":"record","name":"WeightSpan","doc":"From token `start` on, `version` of the weights sampled, until the next span.","fields":[{"name":"start","type":"int","doc":"Index of a token: of completion_ids on a model call, of token_ids on a trajectory."},{"name":"version","type":"string","doc":"Name of the weights, as policy.versions announced it."}]}},"doc":"Versions of the weights by token of completion_ids. Empty: unknown.","default":[]},{"name":"raw_text","type":["null","bytes"],"doc":"Completion as text before any parser, UTF-8 (may hold lone surrogates).","default":null},{"name":"finish_reason","type":["null","string"],"doc":"The engine's finish reason, whole (a JSON object as JSON text). null: the source does not keep it.","default":null},{"name":"sampling","type":["null","Sampling"],"doc":"Sampling parameters of this call, where they differ from the start's.","default":null},{"name":"usage","type":["null",{"type":"record","name":"Usage","doc":"Token counts as the engine reported them.","fields":[{"name":"prompt_tokens","type":["null","long"],"doc":"Prompt tokens.","default":null},{"name":"completion_tokens","type":["null","long"],"doc":"Sampled tokens.","default":null},{"name":"cached_tokens","type":["null","long"],"doc":"Prompt tokens served from cache.","default":null},{"name":"reasoning_tokens","type":["null","long"],"doc":"Sampled tokens within reasoning.","default":null}]}],"doc":"Token counts.","default":null},{"name":"queue_us","type":["null","long"],"doc":"Waiting in the engine, µs.","default":null},{"name":"prefill_us","type":["null","long"],"doc":"Prefill (time to first token without queue), µs.","default":null},{"name":"decode_us","type":["null","long"],"doc":"Decode, µs.","default":null},{"name":"server_e2e_us","type":["null","long"],"doc":"Whole request by the server's clock, µs.","default":null},{"name":"tool_calls","type":{"type":"array","items":{"type":"record","name":"ToolCall","doc":"A tool call as the loop understood it.","fields":[{"name":"call_id","type":"string","doc":"Id of the tool call. Ids repeat between turns: the pair (turn, id) is the key."},{"name":"name","type":["null","string"],"doc":"Tool name. null: the call has none.","default":null},{"name":"arguments_raw","type":["null","bytes"],"doc":"Arguments as the model wrote them, UTF-8. null: the source keeps only parsed ones.","default":null},{"name":"arguments_parsed","type":["null","string"],"doc":"Arguments after the parser, JSON text. null: nothing was parsed.","default":null},{"name":"char_start","type":["null","int"],"doc":"Where the call begins in raw_text, in characters.","default":null},{"name":"char_end","type":["null","int"],"doc":"Where it ends.","default":null},{"name":"parse_status","type":{"type":"enum","name":"ParseStatus","doc":"What the loop's parser made of it.","symbols":["ok","malformed","repaired","in_think","unknown_tool","unknown"],"default":"unknown"},"doc":"`unknown`: the source does not say.","default":"unknown"},{"name":"parser","type":["null","string"],"doc":"Name of the parser.","default":null}]}},"doc":"Tool calls of this completion, in order.","default":[]},{"name":"aux_ref","type":["null",{"type":"record","name":"AuxRef","doc":"Data beside the tokens (routed experts and the like), by reference.","fields":[{"name":"name","type":"string","doc":"What it is, such as routed_experts."},{"name":"uri","type":"string","doc":"Where it is."},{"name":"sha256","type":["null","string"],"doc":"SHA-256 of the bytes, hex.","default":null},{"name":"shape","type":{"type":"array","items":"int"},"doc":"Shape.","default":[]},{"name":"dtype","type":"string","doc":"Element type, such as int32.","default":""}]}],"doc":"Auxiliary data by reference.","default":null},{"name":"error","type":["null",{"type":"record","name":"Failure","doc":"An error as its source gave it.","fields":[{"name":"type","type":["null","string"],"doc":"Class or code.","default":null},{"name":"message","type":["null","string"],"doc":"Text.","default":null}]}],"doc":"The call failed, as the client saw it.","default":null}]}],"doc":"Set when kind is model_call.","default":null},{"name":"message","type":["null",{"type":"record","name":"Message","doc":"A turn that no model call made: system, user, or other.","fields":[{"name":"role","type":"string","doc":"system, user, assistant, tool, developer …"},{"name":"parts_json","type":"string","doc":"Content, JSON; lone surrogates stay escaped."}]}],"doc":"Set when kind is message.","default":null},{"name":"tool_result","type":["null",{"type":"record","name":"ToolResult","doc":"A tool ran, or did not.","fields":[{"name":"call_id","type":"string","doc":"Id of the tool call it answers."},{"name":"turn","type":["null","int"],"doc":"Model call (from 0, over the attempt) whose tool call it answers. null: the last one before it.","default":null},{"name":"name","type":["null","string"],"doc":"Tool name.","default":null},{"name":"executed_arguments","type":["null","string"],"doc":"Arguments that were really executed, JSON text.","default":null},{"name":"status","type":{"type":"enum","name":"ToolStatus","doc":"How it went.","symbols":["ok","tool_error","timeout","cancelled","sandbox_error","rate_limited","not_executed","unknown"],"default":"unknown"},"doc":"`unknown`: the source does not say.","default":"unknown"},{"name":"output","type":["null","bytes"],"doc":"What the model was shown, UTF-8.","default":null},{"name":"output_ref","type":["null","string"],"doc":"Where the output is, when it does not travel.","default":null},{"name":"exit_code","type":["null","int"],"doc":"Exit code of a process.","default":null},{"name":"wait_us","type":["null","long"],"doc":"Waiting for a slot or a sandbox, µs.","default":null},{"name":"exec_us","type":["null","long"],"doc":"Execution, µs.","default":null},{"name":"error","type":["null","Failure"],"doc":"Error of the tool or of its sandbox.","default":null}]}],"doc":"Set when kind is tool_result.","default":null},{"name":"phase","type":["null",{"type":"record","name":"Phase","doc":"Time spent on something, by the event's started_at, ended_at and duration_us. May follow the end.","fields":[{"name":"phase","type":{"type":"enum","name":"PhaseName","doc":"What the time was spent on.","symbols":["queue","rate_limit","sandbox_setup","agent_setup","model","weight_sync","tool_wait","cpu","verify","cleanup","trainer_wait","other","unknown"],"default":"unknown"},"doc":"Name of the phase."},{"name":"detail","type":["null","string"],"doc":"What exactly, or how it ended.","default":null},{"name":"error","type":["null","Failure"],"doc":"The phase failed. A failed clean-up after a verified completion changes nothing.","default":null}]}],"doc":"Set when kind is phase.","default":null},{"name":"verdict","type":["null",{"type":"record","name":"Verdict","doc":"What a verifier said about (rollout, attempt, turn), or that it did not.","fields":[{"name":"scorer","type":"string","doc":"Name of the verifier."},{"name":"scorer_version","type":"string","doc":"Version of the verifier; empty when unknown.","default":""},{"name":"status","type":{"type":"enum","name":"VerdictStatus","doc":"Whether it answered.","symbols":["scored","not_run","timeout","crash","missing","parse_error","refused","unknown"],"default":"unknown"},"doc":"Anything but `scored` has no reward."},{"name":"rewards","type":{"type":"map","values":["null","double"]},"doc":"Named rewards. null is not 0: it was asked for and is missing.","default":{}},{"name":"bound_to","type":["null","int"],"doc":"Model call (from 0, over the attempt) it judges. null: the whole attempt.","default":null},{"name":"report_json","type":["null","string"],"doc":"Report of the verifier, JSON.","default":null}]}],"doc":"Set when kind is verdict.","default":null},{"name":"end","type":["null",{"type":"record","name":"End","doc":"The loop ended. Why it ended, what the engine said last and what a verifier thinks are three facts.","fields":[{"name":"reasons","type":{"type":"array","items":{"type":"record","name":"RawReason","doc":"Why the loop ended, in the source's own words.","fields":[{"name":"raw","type":"string","doc":"The source's value."},{"name":"system","type":"string","doc":"Whose vocabulary it is: strands-env, nemo-gym, sglang …"},{"name":"detail","type":["null","string"],"doc":"Text beside it.","default":null},{"name":"after_end","type":"boolean","doc":"It happened after the loop had decided to end (a clean-up that failed): kept, and decides nothing.","default":false}]}},"doc":"In the order the source gave them; the first is primary."},{"name":"final_response","type":["null","bytes"],"doc":"Final answer, UTF-8.","default":null},{"name":"env_reward","type":["null","double"],"doc":"Reward that the environment itself returned. Not a verdict.","default":null},{"name":"exception","type":["null","Failure"],"doc":"Exception that ended the loop.","default":null},{"name":"limit","type":["null",{"type":"record","name":"LimitHit","doc":"A limit was reached.","fields":[{"name":"kind","type":"string","doc":"tokens, context, turns, tool_calls, cost, wall_clock."},{"name":"limit","type":["null","double"],"doc":"The limit.","default":null},{"name":"used","type":["null","double"],"doc":"What was used.","default":null}]}],"doc":"Limit that ended the loop.","default":null}]}],"doc":"Set when kind is end.","default":null},{"name":"control","type":["null",{"type":"record","name":"Control","doc":"What the pipeline itself decided and wrote into a partition; acts from its offset on.","fields":[{"name":"type","type":{"type":"enum","name":"ControlType","doc":"What it controls.","symbols":["deadline","policy","weights_version","gate","unknown"],"default":"unknown"},"doc":"Which of the records below is set."},{"name":"deadline","type":["null",{"type":"record","name":"Deadline","doc":"A time has passed. Void if what it saw no longer holds.","fields":[{"name":"name","type":{"type":"enum","name":"DeadlineName","doc":"Which time.","symbols":["gap","orphan","idle","lifetime","verdict_missing","group_incomplete","source_ended","unknown"],"default":"unknown"},"doc":"Name of the deadline."},{"name":"unit","type":"string","doc":"Unit it is about; empty for source_ended.","default":""},{"name":"unit_start","type":["null","long"],"doc":"Offset of the record that opened the unit, for deadlines of a unit.","default":null},{"name":"saw","type":["null","string"],"doc":"What the lane saw of the attempt when it decided: void unless it still sees the same.","default":null},{"name":"source","type":["null","string"],"doc":"producer_id that ended, for source_ended.","default":null}]}],"doc":"Set when type is deadline.","default":null},{"name":"policy","type":["null",{"type":"record","name":"PolicyInForce","doc":"From here on these documents decide.","fields":[{"name":"policy_id","type":"string","doc":"SHA-256 of the policy document, hex."},{"name":"taxonomy_id","type":"string","doc":"SHA-256 of the taxonomy, hex."}]}],"doc":"Set when type is policy.","default":null},{"name":"weights","type":["null",{"type":"record","name":"WeightsInForce","doc":"From here on the trainer updates this version.","fields":[{"name":"lineage","type":"string","doc":"Lineage of the run.","default":""},{"name":"version","type":"string","doc":"Name of the weights."},{"name":"ordinal","type":"long","doc":"Place in the order of announcement within the lineage."}]}],"doc":"Set when type is weights_version.","default":null},{"name":"gate","type":["null",{"type":"record","name":"GateState","doc":"From here on the gate is in this state.","fields":[{"name":"state","type":"string","doc":"preflight, open, warn, quarantine, hold. While it is preflight or hold, what is ready is held. The run is the event's."},{"name":"why_json","type":["null","string"],"doc":"Limits that tripped, JSON.","default":null},{"name":"classes","type":{"type":"array","items":"string"},"doc":"Finding classes that are quarantined while the state is quarantine.","default":[]},{"name":"seq","type":"long","doc":"Number of the change, from 1 in each run: behind a higher one it changes nothing. 0: not numbered.","default":0}]}],"doc":"Set when type is gate.","default":null}]}],"doc":"Set when kind is control.","default":null}]};
