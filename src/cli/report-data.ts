import type { Access } from '../access/access.ts';
import type { Accounting } from '../clickhouse/accounting.ts';

/** What the report of a start shows. */
export interface ReportData {
  readonly accounting: Accounting;
  readonly categories: readonly CategoryRow[];
  readonly examples: readonly ExampleRow[];
}

export interface CategoryRow {
  readonly category: string;
  readonly attempts: number;
  readonly trained: number;
  readonly rewarded: number;
  readonly mean: number | null;
  readonly zero: number;
}

/** An attempt that did not go to the trainer as it came. */
export interface ExampleRow {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly task_id: string;
  readonly disposition: string;
  readonly category: string;
  readonly reason_code: string;
  readonly reason_raw: string | null;
  readonly finish_reason: string | null;
  readonly verifier_status: string;
  readonly why: readonly string[];
  readonly reward: number | null;
  /** Attempts that ended the same way. */
  readonly alike: number;
}

const CATEGORIES = `
SELECT category, count() AS attempts,
       countIf(disposition IN ('train', 'train_masked', 'penalise')) AS trained,
       count(reward) AS rewarded, avg(reward) AS mean, countIf(reward = 0) AS zero
FROM rollstream.live_decisions
GROUP BY category
ORDER BY attempts DESC, category`;

/**
 * The most telling first: a rollout that looked good and is not to be trusted; one whose verifier or infrastructure failed and
 * would have been a false 0; then whatever else did not train. One of each kind.
 */
const EXAMPLES = `
SELECT run_id, rollout_id, attempt, task_id, disposition, category, reason_code, reason_raw, finish_reason, verifier_status,
       why, reward, alike
FROM (
  SELECT *, count() OVER (PARTITION BY reason_code, why[1]) AS alike,
         row_number() OVER (PARTITION BY reason_code, why[1] ORDER BY run_id, rollout_id, attempt) AS place,
         row_number() OVER (PARTITION BY category ORDER BY disposition = 'quarantine' DESC, reason_code, run_id, rollout_id, attempt) AS in_category
  FROM rollstream.live_decisions
  WHERE disposition NOT IN ('train', 'superseded') AND why[1] NOT IN ('no_tokens', 'purpose')
)
WHERE place = 1
ORDER BY has(why, 'termination_conflict') DESC, in_category, disposition = 'quarantine' DESC,
         category IN ('verifier_fault', 'infra_fault') DESC, alike, reason_code
LIMIT 3`;

export async function readReportData(access: Access): Promise<ReportData> {
  return {
    accounting: await access.accounting(null),
    categories: await rows<CategoryRow>(access, CATEGORIES),
    examples: await rows<ExampleRow>(access, EXAMPLES),
  };
}

async function rows<Row>(access: Access, sql: string): Promise<Row[]> {
  const text = await access.query(sql, 'jsonl', {});
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
