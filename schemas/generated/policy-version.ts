// Generated from schemas/policy-version.avsc by `npm run schemas`. Do not edit.
import type { Schema } from 'avsc';

/** The trainer announces weights: topic policy.versions. */
export interface PolicyVersion {
  /** Training run. */
  run_id: string;
  /** Surviving history it belongs to; a rewind opens another. */
  lineage: string;
  /** Optimizer step that produced it. */
  step: number;
  /** Name of the weights; used once in a run. */
  version: string;
  /** µs since the epoch. */
  announced_at: null | number;
}

export interface PolicyVersionInit {
  run_id: string;
  lineage?: string;
  step: number;
  version: string;
  announced_at?: null | number;
}

export const policyVersionSchema: Schema = {"type":"record","name":"PolicyVersion","doc":"The trainer announces weights: topic policy.versions.","namespace":"io.rollstream.v1","fields":[{"name":"run_id","type":"string","doc":"Training run."},{"name":"lineage","type":"string","doc":"Surviving history it belongs to; a rewind opens another.","default":""},{"name":"step","type":"long","doc":"Optimizer step that produced it."},{"name":"version","type":"string","doc":"Name of the weights; used once in a run."},{"name":"announced_at","type":["null",{"type":"long","logicalType":"timestamp-micros"}],"doc":"µs since the epoch.","default":null}]};
