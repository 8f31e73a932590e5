// Generated from schemas/retry-request.avsc by `npm run schemas`. Do not edit.
import type { Schema } from 'avsc';

/** Only `train` reaches the ready topic. */
export type Purpose = 'train' | 'eval' | 'synthesis' | 'unknown';

/** Please run this rollout again: topic rollout.retries. */
export interface RetryRequest {
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
  /** Attempt number to use. */
  next_attempt: number;
  /** Code of the fault. */
  reason: string;
  /** Earliest start, µs since the epoch. null: at once. */
  not_before: null | number;
  /** Policy that asked. */
  policy_id: string;
  /** Partition of rollout.steps. */
  partition: number;
  /** Record that closed the failed attempt. */
  offset: number;
}

export interface RetryRequestInit {
  run_id: string;
  purpose?: Purpose;
  env_name: string;
  task_id: string;
  epoch?: number;
  group_id?: null | string;
  group_size?: null | number;
  rollout_id: string;
  attempt?: number;
  next_attempt: number;
  reason: string;
  not_before?: null | number;
  policy_id: string;
  partition: number;
  offset: number;
}

export const retryRequestSchema: Schema = {"type":"record","name":"RetryRequest","doc":"Please run this rollout again: topic rollout.retries.","namespace":"io.rollstream.v1","fields":[{"name":"run_id","type":"string","doc":"Training run. Owner of policies, gates and accounting."},{"name":"purpose","type":{"type":"enum","name":"Purpose","doc":"Only `train` reaches the ready topic.","symbols":["train","eval","synthesis","unknown"],"default":"unknown"},"doc":"What the run is for. `unknown`: written by a newer producer; treated as not train.","default":"train"},{"name":"env_name","type":"string","doc":"Environment that the rollout ran in."},{"name":"task_id","type":"string","doc":"The problem given to the agent."},{"name":"epoch","type":"int","doc":"Pass over the tasks; part of the identity of groups and rollouts, so that a second pass is no duplicate.","default":0},{"name":"group_id","type":["null","string"],"doc":"The rollouts sampled for one prompt. null: the rollout has no group. Never derived from text or position.","default":null},{"name":"group_size","type":["null","int"],"doc":"How many rollouts the group will have. null: unknown, members pass one by one, without advantage.","default":null},{"name":"rollout_id","type":"string","doc":"One sampled episode of a task."},{"name":"attempt","type":"int","doc":"Try of the rollout, from 0. A higher attempt supersedes the lower ones.","default":0},{"name":"next_attempt","type":"int","doc":"Attempt number to use."},{"name":"reason","type":"string","doc":"Code of the fault."},{"name":"not_before","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"Earliest start, µs since the epoch. null: at once.","default":null},{"name":"policy_id","type":"string","doc":"Policy that asked."},{"name":"partition","type":"int","doc":"Partition of rollout.steps."},{"name":"offset","type":"long","doc":"Record that closed the failed attempt."}]};
