// Generated from schemas/trajectory.avsc by `npm run schemas`. Do not edit.
import type { Schema } from 'avsc';

/** Only `train` reaches the ready topic. */
export type Purpose = 'train' | 'eval' | 'synthesis' | 'unknown';

/** From token `start` on, `version` of the weights sampled, until the next span. */
export interface WeightSpan {
  /** Index of a token: of completion_ids on a model call, of token_ids on a trajectory. */
  start: number;
  /** Name of the weights, as policy.versions announced it. Empty: from here on unknown. */
  version: string;
}

export interface WeightSpanInit {
  start: number;
  version: string;
}

/** One flat token sequence. A rewritten history or a sub-agent starts another. */
export interface Segment {
  /** Name; a segment derived by rewriting is ID~n. */
  segment_id: string;
  /** Segment it was derived from. */
  parent_segment_id: null | string;
  /** Tokens shared with the parent: copied with mask and logprobs, never in the loss a second time. */
  fork_at: null | number;
  /** Prompt and completions in order; little-endian uint32 each. */
  token_ids: Buffer;
  /** Tokens before the first sampled one. */
  prompt_len: number;
  /** One uint8 a token: 1 where the policy sampled it. The producer's fact. */
  sampled_mask: Buffer;
  /** One uint8 a token: 1 where the trainer may learn from it. Never 1 where sampled_mask is 0. */
  loss_mask: Buffer;
  /** Natural logarithms, little-endian float32, one a token, 0 where not sampled. null: a sampled token has none. */
  logprobs: null | Buffer;
  /** Versions of the weights that sampled; `start` indexes token_ids. */
  weight_spans: WeightSpan[];
}

export interface SegmentInit {
  segment_id: string;
  parent_segment_id?: null | string;
  fork_at?: null | number;
  token_ids: Buffer;
  prompt_len: number;
  sampled_mask: Buffer;
  loss_mask: Buffer;
  logprobs?: null | Buffer;
  weight_spans?: WeightSpanInit[];
}

/** Bytes in the blob store. */
export interface BlobRef {
  /** Where. */
  uri: string;
  /** SHA-256, hex. */
  sha256: string;
  /** Bytes. */
  length: number;
}

export interface BlobRefInit {
  uri: string;
  sha256: string;
  length: number;
}

/** One model call within a segment. */
export interface Turn {
  /** Number of the call, from 0, over the attempt. */
  turn: number;
  /** Segment whose tokens it sampled. */
  segment_id: string;
  /** First sampled token of the call, an index of the segment's token_ids. */
  start: number;
  /** One past the last sampled token. */
  end: number;
  /** Call id. */
  call_id: string;
  /** The engine's own finish reason. */
  finish_reason: null | string;
  /** Sampling temperature. */
  temperature: null | number;
  /** Nucleus mass. */
  top_p: null | number;
  /** raw, processed or unknown. */
  logprobs_mode: string;
  /** Reward bound to this turn. */
  reward: null | number;
}

export interface TurnInit {
  turn: number;
  segment_id: string;
  start: number;
  end: number;
  call_id: string;
  finish_reason?: null | string;
  temperature?: null | number;
  top_p?: null | number;
  logprobs_mode?: string;
  reward?: null | number;
}

/** Data beside the tokens, by reference. */
export interface Aux {
  /** Model call. */
  turn: number;
  /** What it is. */
  name: string;
  /** Where it is. */
  uri: string;
  /** SHA-256, hex. */
  sha256: null | string;
  /** Shape. */
  shape: number[];
  /** Element type. */
  dtype: string;
}

export interface AuxInit {
  turn: number;
  name: string;
  uri: string;
  sha256?: null | string;
  shape?: number[];
  dtype?: string;
}

/** One reason why the loop ended. */
export interface Reason {
  /** Code of the taxonomy; `unknown` when it does not map the raw value. */
  code: string;
  /** Category of the code. */
  category: string;
  /** The source's own value. */
  raw: string;
  /** Whose vocabulary it is. */
  system: string;
  /** Text beside it. */
  detail: null | string;
  /** Whose time-out or out-of-memory it was: policy, env or unknown. null: it is neither. */
  attribution: null | string;
  /** It happened after the loop had decided to end: it decides nothing. */
  after_end: boolean;
}

export interface ReasonInit {
  code: string;
  category: string;
  raw: string;
  system: string;
  detail?: null | string;
  attribution?: null | string;
  after_end?: boolean;
}

/** A verdict that counted. */
export interface VerdictSummary {
  /** Name of the verifier. */
  scorer: string;
  /** Version of the verifier. */
  scorer_version: string;
  /** scored, not_run, timeout, crash, missing, parse_error, refused. */
  status: string;
  /** Named rewards; null is not 0. */
  rewards: Record<string, null | number>;
  /** Model call it judges; null: the whole attempt. */
  bound_to: null | number;
}

export interface VerdictSummaryInit {
  scorer: string;
  scorer_version?: string;
  status: string;
  rewards?: Record<string, null | number>;
  bound_to?: null | number;
}

/** What the advantage was computed from. */
export interface GroupStats {
  /** Rule: mean, leave_one_out, grpo … */
  baseline: string;
  /** Members in the baseline. */
  n: number;
  /** Mean reward of the baseline. */
  mean: null | number;
  /** Standard deviation, by the policy's ddof. null: fewer members than it needs. */
  std: null | number;
}

export interface GroupStatsInit {
  baseline: string;
  n: number;
  mean?: null | number;
  std?: null | number;
}

/** Where an attempt goes. retry: run it again; superseded: a higher attempt came. */
export type Disposition = 'train' | 'train_masked' | 'penalise' | 'drop' | 'retry' | 'quarantine' | 'superseded' | 'unknown';

/** not_auditable is never pass: the trajectory lacks what the audit needs. */
export type AuditResult = 'pass' | 'fail' | 'warn' | 'not_auditable' | 'unknown';

/** Result of each audit. */
export interface AuditSummary {
  /** Pipeline drift. */
  tokens: AuditResult;
  /** Message boundaries. */
  template: AuditResult;
  /** Executed calls against the raw text. */
  tools: AuditResult;
  /** Contradictions between the three facts. */
  termination: AuditResult;
  /** Logprobs, rewards, spans. */
  numbers: AuditResult;
  /** Wall clock against its parts. */
  wall: AuditResult;
  /** Re-encode drift: whether the text of a sampled chunk, encoded again, gives other tokens. Natural, and no fault: warn where it does. */
  reencode: AuditResult;
}

export interface AuditSummaryInit {
  tokens: AuditResult;
  template: AuditResult;
  tools: AuditResult;
  termination: AuditResult;
  numbers: AuditResult;
  wall: AuditResult;
  reencode?: AuditResult;
}

/** The assembled result of one attempt: what the trainer takes. On trajectories.ready, .held and .rejected. */
export interface Trajectory {
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
  /** Flat token sequences. Empty when segments_ref is set or the attempt has no tokens. */
  segments: Segment[];
  /** Segments above 8 MB travel by reference: an Avro array of Segment. */
  segments_ref: null | BlobRef;
  /** Model calls in order. */
  turns: Turn[];
  /** Auxiliary data. */
  aux: Aux[];
  /** Why the loop ended, primary first. */
  reasons: Reason[];
  /** Category that decided. */
  category: string;
  /** The engine's finish reason of the last call. */
  finish_reason: null | string;
  /** Verdicts that counted. */
  verdicts: VerdictSummary[];
  /** Sum of the components. null: invalid, or there is none. Null is not 0. */
  reward: null | number;
  /** A required component is missing, or a component is not finite: false. */
  reward_valid: boolean;
  /** Named parts of the reward. */
  reward_components: Record<string, null | number>;
  /** Reward against the baseline of its group. null: no group of known size. */
  advantage: null | number;
  /** What the advantage was computed from. */
  group_stats: null | GroupStats;
  /** The trainer may learn from it. */
  in_loss: boolean;
  /** Its reward counts in its group's baseline. */
  in_baseline: boolean;
  /** Where it goes. */
  disposition: Disposition;
  /** Why, the counted reason first. */
  why: string[];
  /** SHA-256 of the policy that decided. */
  policy_id: string;
  /** SHA-256 of the taxonomy in force. */
  taxonomy_id: string;
  /** Identity of this scoring: attempt, policy, taxonomy, scorers. */
  score_id: string;
  /** score_id that this scoring replaces. */
  supersedes: null | string;
  /** Audit summary. */
  audit: AuditSummary;
  /** Of each audit that is not_auditable, what it lacked; `deferred`: it is sampled, and what it found is in the table `audits` alone. */
  audit_missing: Record<string, string>;
  /** Milliseconds by phase; empty where the source has no times. */
  wall_ms: Record<string, number>;
  /** group_size of the events. */
  group_size_expected: null | number;
  /** Members that left together; null without a group of known size. */
  group_size_actual: null | number;
  /** Place among them, from 0. */
  group_index: null | number;
  /** Segments of the attempt, also when they travel by reference. */
  segment_count: number;
  /** Tokens in the loss, by segment. */
  segment_loss_tokens: number[];
  /** Tokens in the loss over all segments, so that a trainer can weigh split rollouts. */
  rollout_loss_tokens: number;
  /** Oldest version that sampled. null: unknown. */
  weights_version_min: null | string;
  /** Newest version that sampled. */
  weights_version_max: null | string;
  /** Version being updated when it was decided, minus the oldest that sampled. null: unknown. */
  lag: null | number;
  /** Task data, a JSON object. */
  task_metadata: null | string;
  /** SHA-256 of tokenizer.json. */
  tokenizer_sha256: null | string;
  /** SHA-256 of the chat template. */
  template_sha256: null | string;
  /** Tool calls without a result. */
  tool_calls_unanswered: number;
  /** Tool results without a call. */
  tool_results_unasked: number;
  /** Wall clock of the start, µs since the epoch. */
  started_at: null | number;
  /** Wall clock of the end, µs since the epoch. */
  ended_at: null | number;
  /** Partition of rollout.steps. */
  partition: number;
  /** First record of the attempt. */
  first_offset: number;
  /** Record that closed it. */
  last_offset: number;
  /** Append time of the closing record, µs since the epoch. */
  ready_at: number;
}

export interface TrajectoryInit {
  run_id: string;
  purpose?: Purpose;
  env_name: string;
  task_id: string;
  epoch?: number;
  group_id?: null | string;
  group_size?: null | number;
  rollout_id: string;
  attempt?: number;
  segments: SegmentInit[];
  segments_ref?: null | BlobRefInit;
  turns: TurnInit[];
  aux?: AuxInit[];
  reasons: ReasonInit[];
  category: string;
  finish_reason?: null | string;
  verdicts?: VerdictSummaryInit[];
  reward?: null | number;
  reward_valid: boolean;
  reward_components?: Record<string, null | number>;
  advantage?: null | number;
  group_stats?: null | GroupStatsInit;
  in_loss: boolean;
  in_baseline: boolean;
  disposition: Disposition;
  why: string[];
  policy_id: string;
  taxonomy_id: string;
  score_id: string;
  supersedes?: null | string;
  audit: AuditSummaryInit;
  audit_missing?: Record<string, string>;
  wall_ms?: Record<string, number>;
  group_size_expected?: null | number;
  group_size_actual?: null | number;
  group_index?: null | number;
  segment_count: number;
  segment_loss_tokens?: number[];
  rollout_loss_tokens: number;
  weights_version_min?: null | string;
  weights_version_max?: null | string;
  lag?: null | number;
  task_metadata?: null | string;
  tokenizer_sha256?: null | string;
  template_sha256?: null | string;
  tool_calls_unanswered?: number;
  tool_results_unasked?: number;
  started_at?: null | number;
  ended_at?: null | number;
  partition: number;
  first_offset: number;
  last_offset: number;
  ready_at: number;
}

export const trajectorySchema: Schema = {"type":"record","name":"Trajectory","doc":"The assembled result of one attempt: what the trainer takes. On trajectories.ready, .held and .rejected.","namespace":"io.rollstream.v1","fields":[{"name":"run_id","type":"string","doc":"Training run. Owner of policies, gates and accounting."},{"name":"purpose","type":{"type":"enum","name":"Purpose","doc":"Only `train` reaches the ready topic.","symbols":["train","eval","synthesis","unknown"],"default":"unknown"},"doc":"What the run is for. `unknown`: written by a newer producer; treated as not train.","default":"train"},{"name":"env_name","type":"string","doc":"Environment that the rollout ran in."},{"name":"task_id","type":"string","doc":"The problem given to the agent."},{"name":"epoch","type":"int","doc":"Pass over the tasks; part of the identity of groups and rollouts, so that a second pass is no duplicate.","default":0},{"name":"group_id","type":["null","string"],"doc":"The rollouts sampled for one prompt. null: the rollout has no group. Never derived from text or position.","default":null},{"name":"group_size","type":["null","int"],"doc":"How many rollouts the group will have. null: unknown, members pass one by one, without advantage.","default":null},{"name":"rollout_id","type":"string","doc":"One sampled episode of a task."},{"name":"attempt","type":"int","doc":"Try of the rollout, from 0. A higher attempt supersedes the lower ones.","default":0},{"name":"segments","type":{"type":"array","items":{"type":"record","name":"Segment","doc":"One flat token sequence. A rewritten history or a sub-agent starts another.","fields":[{"name":"segment_id","type":"string","doc":"Name; a segment derived by rewriting is ID~n."},{"name":"parent_segment_id","type":["null","string"],"doc":"Segment it was derived from.","default":null},{"name":"fork_at","type":["null","int"],"doc":"Tokens shared with the parent: copied with mask and logprobs, never in the loss a second time.","default":null},{"name":"token_ids","type":"bytes","doc":"Prompt and completions in order; little-endian uint32 each."},{"name":"prompt_len","type":"int","doc":"Tokens before the first sampled one."},{"name":"sampled_mask","type":"bytes","doc":"One uint8 a token: 1 where the policy sampled it. The producer's fact."},{"name":"loss_mask","type":"bytes","doc":"One uint8 a token: 1 where the trainer may learn from it. Never 1 where sampled_mask is 0."},{"name":"logprobs","type":["null","bytes"],"doc":"Natural logarithms, little-endian float32, one a token, 0 where not sampled. null: a sampled token has none.","default":null},{"name":"weight_spans","type":{"type":"array","items":{"type":"record","name":"WeightSpan","doc":"From token `start` on, `version` of the weights sampled, until the next span.","fields":[{"name":"start","type":"int","doc":"Index of a token: of completion_ids on a model call, of token_ids on a trajectory."},{"name":"version","type":"string","doc":"Name of the weights, as policy.versions announced it. Empty: from here on unknown."}]}},"doc":"Versions of the weights that sampled; `start` indexes token_ids.","default":[]}]}},"doc":"Flat token sequences. Empty when segments_ref is set or the attempt has no tokens."},{"name":"segments_ref","type":["null",{"type":"record","name":"BlobRef","doc":"Bytes in the blob store.","fields":[{"name":"uri","type":"string","doc":"Where."},{"name":"sha256","type":"string","doc":"SHA-256, hex."},{"name":"length","type":"long","doc":"Bytes."}]}],"doc":"Segments above 8 MB travel by reference: an Avro array of Segment.","default":null},{"name":"turns","type":{"type":"array","items":{"type":"record","name":"Turn","doc":"One model call within a segment.","fields":[{"name":"turn","type":"int","doc":"Number of the call, from 0, over the attempt."},{"name":"segment_id","type":"string","doc":"Segment whose tokens it sampled."},{"name":"start","type":"int","doc":"First sampled token of the call, an index of the segment's token_ids."},{"name":"end","type":"int","doc":"One past the last sampled token."},{"name":"call_id","type":"string","doc":"Call id."},{"name":"finish_reason","type":["null","string"],"doc":"The engine's own finish reason.","default":null},{"name":"temperature","type":["null","double"],"doc":"Sampling temperature.","default":null},{"name":"top_p","type":["null","double"],"doc":"Nucleus mass.","default":null},{"name":"logprobs_mode","type":"string","doc":"raw, processed or unknown.","default":"unknown"},{"name":"reward","type":["null","double"],"doc":"Reward bound to this turn.","default":null}]}},"doc":"Model calls in order."},{"name":"aux","type":{"type":"array","items":{"type":"record","name":"Aux","doc":"Data beside the tokens, by reference.","fields":[{"name":"turn","type":"int","doc":"Model call."},{"name":"name","type":"string","doc":"What it is."},{"name":"uri","type":"string","doc":"Where it is."},{"name":"sha256","type":["null","string"],"doc":"SHA-256, hex.","default":null},{"name":"shape","type":{"type":"array","items":"int"},"doc":"Shape.","default":[]},{"name":"dtype","type":"string","doc":"Element type.","default":""}]}},"doc":"Auxiliary data.","default":[]},{"name":"reasons","type":{"type":"array","items":{"type":"record","name":"Reason","doc":"One reason why the loop ended.","fields":[{"name":"code","type":"string","doc":"Code of the taxonomy; `unknown` when it does not map the raw value."},{"name":"category","type":"string","doc":"Category of the code."},{"name":"raw","type":"string","doc":"The source's own value."},{"name":"system","type":"string","doc":"Whose vocabulary it is."},{"name":"detail","type":["null","string"],"doc":"Text beside it.","default":null},{"name":"attribution","type":["null","string"],"doc":"Whose time-out or out-of-memory it was: policy, env or unknown. null: it is neither.","default":null},{"name":"after_end","type":"boolean","doc":"It happened after the loop had decided to end: it decides nothing.","default":false}]}},"doc":"Why the loop ended, primary first."},{"name":"category","type":"string","doc":"Category that decided."},{"name":"finish_reason","type":["null","string"],"doc":"The engine's finish reason of the last call.","default":null},{"name":"verdicts","type":{"type":"array","items":{"type":"record","name":"VerdictSummary","doc":"A verdict that counted.","fields":[{"name":"scorer","type":"string","doc":"Name of the verifier."},{"name":"scorer_version","type":"string","doc":"Version of the verifier.","default":""},{"name":"status","type":"string","doc":"scored, not_run, timeout, crash, missing, parse_error, refused."},{"name":"rewards","type":{"type":"map","values":["null","double"]},"doc":"Named rewards; null is not 0.","default":{}},{"name":"bound_to","type":["null","int"],"doc":"Model call it judges; null: the whole attempt.","default":null}]}},"doc":"Verdicts that counted.","default":[]},{"name":"reward","type":["null","double"],"doc":"Sum of the components. null: invalid, or there is none. Null is not 0.","default":null},{"name":"reward_valid","type":"boolean","doc":"A required component is missing, or a component is not finite: false."},{"name":"reward_components","type":{"type":"map","values":["null","double"]},"doc":"Named parts of the reward.","default":{}},{"name":"advantage","type":["null","double"],"doc":"Reward against the baseline of its group. null: no group of known size.","default":null},{"name":"group_stats","type":["null",{"type":"record","name":"GroupStats","doc":"What the advantage was computed from.","fields":[{"name":"baseline","type":"string","doc":"Rule: mean, leave_one_out, grpo …"},{"name":"n","type":"int","doc":"Members in the baseline."},{"name":"mean","type":["null","double"],"doc":"Mean reward of the baseline.","default":null},{"name":"std","type":["null","double"],"doc":"Standard deviation, by the policy's ddof. null: fewer members than it needs.","default":null}]}],"doc":"What the advantage was computed from.","default":null},{"name":"in_loss","type":"boolean","doc":"The trainer may learn from it."},{"name":"in_baseline","type":"boolean","doc":"Its reward counts in its group's baseline."},{"name":"disposition","type":{"type":"enum","name":"Disposition","doc":"Where an attempt goes. retry: run it again; superseded: a higher attempt came.","symbols":["train","train_masked","penalise","drop","retry","quarantine","superseded","unknown"],"default":"unknown"},"doc":"Where it goes."},{"name":"why","type":{"type":"array","items":"string"},"doc":"Why, the counted reason first."},{"name":"policy_id","type":"string","doc":"SHA-256 of the policy that decided."},{"name":"taxonomy_id","type":"string","doc":"SHA-256 of the taxonomy in force."},{"name":"score_id","type":"string","doc":"Identity of this scoring: attempt, policy, taxonomy, scorers."},{"name":"supersedes","type":["null","string"],"doc":"score_id that this scoring replaces.","default":null},{"name":"audit","type":{"type":"record","name":"AuditSummary","doc":"Result of each audit.","fields":[{"name":"tokens","type":{"type":"enum","name":"AuditResult","doc":"not_auditable is never pass: the trajectory lacks what the audit needs.","symbols":["pass","fail","warn","not_auditable","unknown"],"default":"unknown"},"doc":"Pipeline drift."},{"name":"template","type":"AuditResult","doc":"Message boundaries."},{"name":"tools","type":"AuditResult","doc":"Executed calls against the raw text."},{"name":"termination","type":"AuditResult","doc":"Contradictions between the three facts."},{"name":"numbers","type":"AuditResult","doc":"Logprobs, rewards, spans."},{"name":"wall","type":"AuditResult","doc":"Wall clock against its parts."},{"name":"reencode","type":"AuditResult","doc":"Re-encode drift: whether the text of a sampled chunk, encoded again, gives other tokens. Natural, and no fault: warn where it does.","default":"unknown"}]},"doc":"Audit summary."},{"name":"audit_missing","type":{"type":"map","values":"string"},"doc":"Of each audit that is not_auditable, what it lacked; `deferred`: it is sampled, and what it found is in the table `audits` alone.","default":{}},{"name":"wall_ms","type":{"type":"map","values":"double"},"doc":"Milliseconds by phase; empty where the source has no times.","default":{}},{"name":"group_size_expected","type":["null","int"],"doc":"group_size of the events.","default":null},{"name":"group_size_actual","type":["null","int"],"doc":"Members that left together; null without a group of known size.","default":null},{"name":"group_index","type":["null","int"],"doc":"Place among them, from 0.","default":null},{"name":"segment_count","type":"int","doc":"Segments of the attempt, also when they travel by reference."},{"name":"segment_loss_tokens","type":{"type":"array","items":"int"},"doc":"Tokens in the loss, by segment.","default":[]},{"name":"rollout_loss_tokens","type":"int","doc":"Tokens in the loss over all segments, so that a trainer can weigh split rollouts."},{"name":"weights_version_min","type":["null","string"],"doc":"Oldest version that sampled. null: unknown.","default":null},{"name":"weights_version_max","type":["null","string"],"doc":"Newest version that sampled.","default":null},{"name":"lag","type":["null","long"],"doc":"Version being updated when it was decided, minus the oldest that sampled. null: unknown.","default":null},{"name":"task_metadata","type":["null","string"],"doc":"Task data, a JSON object.","default":null},{"name":"tokenizer_sha256","type":["null","string"],"doc":"SHA-256 of tokenizer.json.","default":null},{"name":"template_sha256","type":["null","string"],"doc":"SHA-256 of the chat template.","default":null},{"name":"tool_calls_unanswered","type":"int","doc":"Tool calls without a result.","default":0},{"name":"tool_results_unasked","type":"int","doc":"Tool results without a call.","default":0},{"name":"started_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Wall clock of the start, µs since the epoch.","default":null},{"name":"ended_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Wall clock of the end, µs since the epoch.","default":null},{"name":"partition","type":"int","doc":"Partition of rollout.steps."},{"name":"first_offset","type":"long","doc":"First record of the attempt."},{"name":"last_offset","type":"long","doc":"Record that closed it."},{"name":"ready_at","type":{"type":"long","logicalType":"timestamp-micros"},"doc":"Append time of the closing record, µs since the epoch."}]};
