import type { DecisionRow } from '../../../processors/model/effects.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import { asInt64, asNullableFloat64, asNullableString, asString } from '../value-writers.ts';
import { causeColumns } from './cause-columns.ts';
import { identityColumns } from './identity-columns.ts';
import { timeColumns } from './time-columns.ts';

const columns: readonly Column<DecisionRow>[] = [
  ...identityColumns<DecisionRow>((row) => row),
  column('unit', (w, row) => w.string(row.unit)),
  column('replay_id', (w, row) => w.string(row.replay_id)),
  column('reason_code', (w, row) => w.string(row.reason_code)),
  column('reason_raw', (w, row) => asNullableString(w, row.reason_raw)),
  column('category', (w, row) => w.string(row.category)),
  column('finish_reason', (w, row) => asNullableString(w, row.finish_reason)),
  column('verifier_status', (w, row) => w.string(row.verifier_status)),
  column('disposition', (w, row) => w.string(row.disposition)),
  column('why', (w, row) => w.array(row.why, asString)),
  column('rule', (w, row) => w.string(row.rule)),
  column('conflicts', (w, row) => w.array(row.conflicts, asString)),
  column('infra_share', (w, row) => asNullableFloat64(w, row.infra_share)),
  column('policy_share', (w, row) => asNullableFloat64(w, row.policy_share)),
  column('reward', (w, row) => asNullableFloat64(w, row.reward)),
  column('reward_valid', (w, row) => w.bool(row.reward_valid)),
  column('advantage', (w, row) => asNullableFloat64(w, row.advantage)),
  column('in_loss', (w, row) => w.bool(row.in_loss)),
  column('in_baseline', (w, row) => w.bool(row.in_baseline)),
  column('counts_for_size', (w, row) => w.bool(row.counts_for_size)),
  column('held', (w, row) => w.bool(row.held)),
  column('policy_id', (w, row) => w.string(row.policy_id)),
  column('taxonomy_id', (w, row) => w.string(row.taxonomy_id)),
  column('score_id', (w, row) => w.string(row.score_id)),
  column('supersedes', (w, row) => asNullableString(w, row.supersedes)),
  column('weights_version_min', (w, row) => asNullableString(w, row.weights_version_min)),
  column('weights_version_max', (w, row) => asNullableString(w, row.weights_version_max)),
  column('lag', (w, row) => w.nullable(row.lag, asInt64)),
  column('n_turns', (w, row) => w.int32(row.n_turns)),
  column('n_tokens', (w, row) => w.int64(row.n_tokens)),
  column('n_sampled_tokens', (w, row) => w.int64(row.n_sampled_tokens)),
  ...timeColumns<DecisionRow>((row) => row),
  column('decided_at', (w, row) => w.int64(row.decided_at)),
  column('first_offset', (w, row) => w.int64(row.first_offset)),
  ...causeColumns<DecisionRow>((row) => row),
];

export const decisionsTable: Table<DecisionRow> = { name: 'decisions', columns };

/** One row when an attempt closes, whatever became of it: the right side of the accounting identity. */
export function encodeDecisions(rows: readonly DecisionRow[], owner: Owner): InsertBatch {
  return encodeBatch(decisionsTable, rows, owner);
}
