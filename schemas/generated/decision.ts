// Generated from schemas/decision.avsc by `npm run schemas`. Do not edit.
import type { Schema } from 'avsc';

/** Only `train` reaches the ready topic. */
export type Purpose = 'train' | 'eval' | 'synthesis' | 'unknown';

/** Where an attempt goes. retry: run it again; superseded: a higher attempt came. */
export type Disposition = 'train' | 'train_masked' | 'penalise' | 'drop' | 'retry' | 'quarantine' | 'superseded' | 'unknown';

/** What became of one attempt; a row of the table `decisions`, one for each attempt that closed. */
export interface Decision {
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
  /** Unit id: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded. */
  unit: string;
  /** Empty: live. */
  replay_id: string;
  /** Code that decided, of the taxonomy. Accounting counts the first of `why`. */
  reason_code: string;
  /** The source's own words for the primary reason. */
  reason_raw: null | string;
  /** Category that decided. */
  category: string;
  /** The engine's finish reason of the last call. */
  finish_reason: null | string;
  /** Status of the verdict that counted, or `none`. */
  verifier_status: string;
  /** Where it went. */
  disposition: Disposition;
  /** Why, the counted reason first. */
  why: string[];
  /** Where in the policy it was decided, such as `codes.wall_clock` or `rules[2]`; empty: no rule of the policy. */
  rule: string;
  /** Contradictions between the facts, both sides of each. */
  conflicts: string[];
  /** Share of engine queue, retractions, sandbox and waiting in the wall clock, 0 to 1. null: the events do not say. */
  infra_share: null | number;
  /** Share of the policy's own sampling in the wall clock, 0 to 1. null: the events do not say. */
  policy_share: null | number;
  /** Null is not 0. */
  reward: null | number;
  /** See Trajectory. */
  reward_valid: boolean;
  /** See Trajectory. */
  advantage: null | number;
  /** See Trajectory. */
  in_loss: boolean;
  /** See Trajectory. */
  in_baseline: boolean;
  /** Counts towards the size its group needs. */
  counts_for_size: boolean;
  /** The gate of its run was closed: it is on trajectories.held, and reaches ready when it opens. */
  held: boolean;
  /** Policy that decided. */
  policy_id: string;
  /** Taxonomy in force. */
  taxonomy_id: string;
  /** Identity of the scoring. */
  score_id: string;
  /** score_id that it replaces. */
  supersedes: null | string;
  /** Oldest version that sampled. null: unknown. */
  weights_version_min: null | string;
  /** Newest version that sampled. */
  weights_version_max: null | string;
  /** Version being updated minus the oldest that sampled. null: unknown. */
  lag: null | number;
  /** Model calls. */
  n_turns: number;
  /** Tokens over all segments, a shared prefix once. */
  n_tokens: number;
  /** Sampled tokens. */
  n_sampled_tokens: number;
  /** Start, µs since the epoch. */
  started_at: null | number;
  /** End, µs since the epoch. */
  ended_at: null | number;
  /** Append time of the closing record, µs since the epoch. */
  decided_at: number;
  /** Partition of rollout.steps. */
  partition: number;
  /** First record of the attempt. */
  first_offset: number;
  /** Record that closed it (cause offset). */
  offset: number;
}

export interface DecisionInit {
  run_id: string;
  purpose?: Purpose;
  env_name: string;
  task_id: string;
  epoch?: number;
  group_id?: null | string;
  group_size?: null | number;
  rollout_id: string;
  attempt?: number;
  unit: string;
  replay_id?: string;
  reason_code: string;
  reason_raw?: null | string;
  category: string;
  finish_reason?: null | string;
  verifier_status: string;
  disposition: Disposition;
  why: string[];
  rule?: string;
  conflicts?: string[];
  infra_share?: null | number;
  policy_share?: null | number;
  reward?: null | number;
  reward_valid: boolean;
  advantage?: null | number;
  in_loss: boolean;
  in_baseline: boolean;
  counts_for_size: boolean;
  held?: boolean;
  policy_id: string;
  taxonomy_id: string;
  score_id: string;
  supersedes?: null | string;
  weights_version_min?: null | string;
  weights_version_max?: null | string;
  lag?: null | number;
  n_turns: number;
  n_tokens: number;
  n_sampled_tokens: number;
  started_at?: null | number;
  ended_at?: null | number;
  decided_at: number;
  partition: number;
  first_offset: number;
  offset: number;
}

export const decisionSchema: Schema = {"type":"record","name":"Decision","doc":"What became of one attempt; a row of the table `decisions`, one for each attempt that closed.","namespace":"io.rollstream.v1","fields":[{"name":"run_id","type":"string","doc":"Training run. Owner of policies, gates and accounting."},{"name":"purpose","type":{"type":"enum","name":"Purpose","doc":"Only `train` reaches the ready topic.","symbols":["train","eval","synthesis","unknown"],"default":"unknown"},"doc":"What the run is for. `unknown`: written by a newer producer; treated as not train.","default":"train"},{"name":"env_name","type":"string","doc":"Environment that the rollout ran in."},{"name":"task_id","type":"string","doc":"The problem given to the agent."},{"name":"epoch","type":"int","doc":"Pass over the tasks; part of the identity of groups and rollouts, so that a second pass is no duplicate.","default":0},{"name":"group_id","type":["null","string"],"doc":"The rollouts sampled for one prompt. null: the rollout has no group. Never derived from text or position.","default":null},{"name":"group_size","type":["null","int"],"doc":"How many rollouts the group will have. null: unknown, members pass one by one, without advantage.","default":null},{"name":"rollout_id","type":"string","doc":"One sampled episode of a task."},{"name":"attempt","type":"int","doc":"Try of the rollout, from 0. A higher attempt supersedes the lower ones.","default":0},{"name":"unit","type":"string","doc":"Unit id: run/epoch/g/group or run/epoch/r/rollout, parts percent-encoded."},{"name":"replay_id","type":"string","doc":"Empty: live.","default":""},{"name":"reason_code","type":"string","doc":"Code that decided, of the taxonomy. Accounting counts the first of `why`."},{"name":"reason_raw","type":["null","string"],"doc":"The source's own words for the primary reason.","default":null},{"name":"category","type":"string","doc":"Category that decided."},{"name":"finish_reason","type":["null","string"],"doc":"The engine's finish reason of the last call.","default":null},{"name":"verifier_status","type":"string","doc":"Status of the verdict that counted, or `none`."},{"name":"disposition","type":{"type":"enum","name":"Disposition","doc":"Where an attempt goes. retry: run it again; superseded: a higher attempt came.","symbols":["train","train_masked","penalise","drop","retry","quarantine","superseded","unknown"],"default":"unknown"},"doc":"Where it went."},{"name":"why","type":{"type":"array","items":"string"},"doc":"Why, the counted reason first."},{"name":"rule","type":"string","doc":"Where in the policy it was decided, such as `codes.wall_clock` or `rules[2]`; empty: no rule of the policy.","default":""},{"name":"conflicts","type":{"type":"array","items":"string"},"doc":"Contradictions between the facts, both sides of each.","default":[]},{"name":"infra_share","type":["null","double"],"doc":"Share of engine queue, retractions, sandbox and waiting in the wall clock, 0 to 1. null: the events do not say.","default":null},{"name":"policy_share","type":["null","double"],"doc":"Share of the policy's own sampling in the wall clock, 0 to 1. null: the events do not say.","default":null},{"name":"reward","type":["null","double"],"doc":"Null is not 0.","default":null},{"name":"reward_valid","type":"boolean","doc":"See Trajectory."},{"name":"advantage","type":["null","double"],"doc":"See Trajectory.","default":null},{"name":"in_loss","type":"boolean","doc":"See Trajectory."},{"name":"in_baseline","type":"boolean","doc":"See Trajectory."},{"name":"counts_for_size","type":"boolean","doc":"Counts towards the size its group needs."},{"name":"held","type":"boolean","doc":"The gate of its run was closed: it is on trajectories.held, and reaches ready when it opens.","default":false},{"name":"policy_id","type":"string","doc":"Policy that decided."},{"name":"taxonomy_id","type":"string","doc":"Taxonomy in force."},{"name":"score_id","type":"string","doc":"Identity of the scoring."},{"name":"supersedes","type":["null","string"],"doc":"score_id that it replaces.","default":null},{"name":"weights_version_min","type":["null","string"],"doc":"Oldest version that sampled. null: unknown.","default":null},{"name":"weights_version_max","type":["null","string"],"doc":"Newest version that sampled.","default":null},{"name":"lag","type":["null","long"],"doc":"Version being updated minus the oldest that sampled. null: unknown.","default":null},{"name":"n_turns","type":"int","doc":"Model calls."},{"name":"n_tokens","type":"long","doc":"Tokens over all segments, a shared prefix once."},{"name":"n_sampled_tokens","type":"long","doc":"Sampled tokens."},{"name":"started_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Start, µs since the epoch.","default":null},{"name":"ended_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"End, µs since the epoch.","default":null},{"name":"decided_at","type":{"type":"long","logicalType":"timestamp-micros"},"doc":"Append time of the closing record, µs since the epoch."},{"name":"partition","type":"int","doc":"Partition of rollout.steps."},{"name":"first_offset","type":"long","doc":"First record of the attempt."},{"name":"offset","type":"long","doc":"Record that closed it (cause offset)."}]};
