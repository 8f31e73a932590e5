import type { RuledAttempt } from '../../processors/decide/rule-on.ts';
import type { Finding } from '../../processors/model/audit-summary.ts';
import type { Scored } from '../../processors/model/judgement.ts';
import type { RewardFacts } from '../../processors/model/reward.ts';
import { verdictFactsOf } from '../../processors/score/verdict-facts.ts';
import type { Verdict } from '../../schemas/generated/step-event.ts';
import type { Reason } from '../../schemas/generated/trajectory.ts';

/** Decisions that are alike in all that a policy may ask of them, from `DECIDED_FACTS_SQL`. */
export interface DecidedRow {
  readonly n: number;
  readonly example: string;
  readonly policy_id: string;
  readonly code: string;
  readonly category: string;
  readonly env_name: string;
  readonly purpose: 'train' | 'eval' | 'synthesis' | 'unknown';
  readonly attempt: number;
  readonly infra_share: number | null;
  readonly disposition: string;
  readonly counted: string;
  readonly no_tokens: boolean;
  readonly sampled: number;
  readonly reward: number | null;
  readonly reasons: ReadonlyArray<readonly [code: string, system: string, attribution: string | null]>;
  readonly verdicts: ReadonlyArray<
    readonly [
      scorer: string,
      version: string,
      status: string,
      rewards: Readonly<Record<string, number | null>>,
      turn: number | null,
    ]
  >;
  readonly findings: readonly string[];
}

/**
 * What was decided in a run, and by what facts; alike ones once, with how many they are. {shares}: codes whose rules ask for the
 * infrastructure's share, {tokens}: the reward asks for the tokens sampled: both are different for each and every rollout.
 */
export const DECIDED_FACTS_SQL = `
SELECT
  toUInt32(count()) AS n,
  any(d.rollout_id) AS example,
  d.policy_id AS policy_id,
  d.reason_code AS code,
  d.category AS category,
  d.env_name AS env_name,
  d.purpose AS purpose,
  d.attempt AS attempt,
  if(has({shares:Array(String)}, d.reason_code) OR has({shares:Array(String)}, '*'), d.infra_share, NULL) AS infra_share,
  d.disposition AS disposition,
  d.why[1] AS counted,
  has(d.why, 'no_tokens') AS no_tokens,
  toUInt32(if({tokens:Bool}, d.n_sampled_tokens, least(d.n_sampled_tokens, 1))) AS sampled,
  d.reward AS reward,
  t.reasons AS reasons,
  t.verdicts AS verdicts,
  f.findings AS findings
FROM (
  SELECT run_id, unit, rollout_id, attempt, epoch, policy_id, reason_code, category, env_name, purpose, infra_share,
    disposition, why, n_sampled_tokens, reward
  FROM rollstream.live_decisions
  WHERE run_id = {run:String} AND disposition != 'superseded' AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
) AS d
LEFT JOIN (
  SELECT unit, rollout_id, attempt,
    arrayZip(\`reasons.code\`, \`reasons.system\`, \`reasons.attribution\`) AS reasons,
    arrayZip(\`verdicts.scorer\`, \`verdicts.scorer_version\`, \`verdicts.status\`, \`verdicts.rewards\`, \`verdicts.bound_to\`) AS verdicts
  FROM rollstream.live_trajectories
  WHERE run_id = {run:String} AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
) AS t ON t.unit = d.unit AND t.rollout_id = d.rollout_id AND t.attempt = d.attempt
LEFT JOIN (
  SELECT epoch, rollout_id, attempt, arraySort(groupUniqArray(class)) AS findings
  FROM rollstream.live_audits
  WHERE run_id = {run:String} AND class != '' AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
  GROUP BY epoch, rollout_id, attempt
) AS f ON f.epoch = d.epoch AND f.rollout_id = d.rollout_id AND f.attempt = d.attempt
GROUP BY policy_id, code, category, env_name, purpose, attempt, infra_share, disposition, counted, no_tokens, sampled, reward,
  reasons, verdicts, findings`;

/** An attempt as far as the store knows it. */
export interface DecidedAttempt extends RuledAttempt {
  readonly facts: RewardFacts;
}

export interface DecidedFacts {
  readonly attempt: DecidedAttempt;
  readonly scored: Scored;
}

/** `expiredBy`: a deadline had passed when it was decided; the store does not say so, who asks tries both. */
export function decidedFacts(row: DecidedRow, runId: string, expiredBy: string | null): DecidedFacts {
  const verdicts = row.verdicts.map(([scorer, scorerVersion, status, rewards, boundTo]) => ({
    ...{ scorer, scorerVersion, rewards, boundTo, notFinite: [] },
    status: statusOf(status),
  }));
  const { verifierStatus, verifierFault } = verdictFactsOf(verdicts);
  return {
    attempt: {
      number: row.attempt,
      identity: { run_id: runId, env_name: row.env_name, purpose: row.purpose },
      expiredBy,
      findings: row.findings.map(
        (name): Finding => ({ audit: 'tools', class: name, turn: null, index: null, detail: '' }),
      ),
      missingTokens: row.no_tokens,
      segments: [{ chunks: [{ sampledTokens: row.sampled }] }],
      facts: { verdicts, sampledTokens: row.no_tokens ? null : row.sampled, malformedCalls: 0, repairedCalls: 0 },
    },
    scored: {
      reasons: row.reasons.map(reasonOf),
      ...{ code: row.code, category: row.category, finishReason: null, verifierStatus, verifierFault, conflicts: [] },
      ...{ infraShare: row.infra_share, policyShare: null, reward: null, rewardValid: false, components: {} },
    },
  };
}

function reasonOf([code, system, attribution]: DecidedRow['reasons'][number]): Reason {
  const known = ATTRIBUTIONS.find((name) => name === attribution) ?? null;
  return { code, category: '', raw: '', system, detail: null, attribution: known, after_end: false };
}

const ATTRIBUTIONS = ['policy', 'env', 'unknown'] as const;
const STATUSES: ReadonlyArray<Verdict['status']> = [
  ...(['scored', 'not_run', 'timeout', 'crash', 'missing', 'parse_error', 'refused'] as const),
];

function statusOf(text: string): Verdict['status'] {
  return STATUSES.find((status) => status === text) ?? 'unknown';
}
