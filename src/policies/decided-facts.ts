import type { RuledAttempt } from '../../processors/decide/rule-on.ts';
import type { Scored } from '../../processors/model/judgement.ts';
import type { RewardFacts } from '../../processors/model/reward.ts';
import { verdictFactsOf } from '../../processors/score/verdict-facts.ts';
import type { Verdict } from '../../schemas/generated/step-event.ts';
import type { Reason } from '../../schemas/generated/trajectory.ts';

/** Decisions that are alike in all that a policy may ask of them; a tuple, since there may be a million. */
export type DecidedRow = readonly [
  n: number,
  example: string,
  /** Place of the policy among {policies}, from 1. */
  policy: number,
  code: string,
  category: string,
  envName: string,
  purpose: 'train' | 'eval' | 'synthesis' | 'unknown',
  attempt: number,
  infraShare: number | null,
  disposition: string,
  /** First of why: what accounting counts. */
  counted: string,
  noTokens: boolean,
  sampled: number,
  /** System and attribution of the reason that decided. */
  system: string,
  attribution: string | null,
  verdicts: ReadonlyArray<
    readonly [
      scorer: string,
      version: string,
      status: string,
      rewards: Readonly<Record<string, number | null>>,
      turn: number | null,
    ]
  >,
  findings: readonly string[],
];

/**
 * What was decided in a run, and by what facts; alike ones once, with how many they are. What is another for each and every rollout
 * is read only where it is asked for: {shares}: codes whose rules ask for the infrastructure's share (`*`: all), {from} and {to}: between
 * which the number of sampled tokens makes a difference, {values}: rewards themselves, else 1 for any. What was too large for a
 * record is left out: no policy makes it smaller.
 */
export const DECIDED_FACTS_SQL = `
SELECT tuple(toUInt32(count()), min(rollout_id), policy, code, category, env_name, purpose, attempt, share, disposition, counted,
  no_tokens, sampled, system, attribution, verdicts, findings) AS row
FROM (
  SELECT
    d.rollout_id AS rollout_id,
    toUInt16(indexOf({policies:Array(String)}, d.policy_id)) AS policy,
    d.reason_code AS code,
    d.category AS category,
    d.env_name AS env_name,
    d.purpose AS purpose,
    d.attempt AS attempt,
    if(hasAny({shares:Array(String)}, [d.reason_code, '*']), d.infra_share, NULL) AS share,
    d.disposition AS disposition,
    d.why[1] AS counted,
    has(d.why, 'no_tokens') AS no_tokens,
    toUInt32(if(d.n_sampled_tokens = 0, 0, least(greatest(d.n_sampled_tokens, {from:UInt32}), {to:UInt32}))) AS sampled,
    greatest(indexOf(t.codes, d.reason_code), 1) AS deciding,
    t.systems[deciding] AS system,
    t.attributions[deciding] AS attribution,
    t.verdicts AS verdicts,
    f.findings AS findings
  FROM (
    SELECT unit, rollout_id, attempt, epoch, policy_id, reason_code, category, env_name, purpose, infra_share, disposition, why,
      n_sampled_tokens
    FROM rollstream.live_decisions
    WHERE run_id = {run:String} AND disposition != 'superseded' AND why[1] != 'record_too_large' AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
  ) AS d
  LEFT JOIN (
    SELECT unit, rollout_id, attempt, \`reasons.code\` AS codes, \`reasons.system\` AS systems, \`reasons.attribution\` AS attributions,
      arrayZip(\`verdicts.scorer\`, \`verdicts.scorer_version\`, \`verdicts.status\`,
        arrayMap(rewards -> if({values:Bool}, rewards, mapApply((k, v) -> (k, if(isNull(v), v, 1.)), rewards)), \`verdicts.rewards\`),
        \`verdicts.bound_to\`) AS verdicts
    FROM rollstream.live_trajectories
    WHERE run_id = {run:String} AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
  ) AS t ON t.unit = d.unit AND t.rollout_id = d.rollout_id AND t.attempt = d.attempt
  LEFT JOIN (
    SELECT epoch, rollout_id, attempt, arraySort(groupUniqArray(class)) AS findings
    FROM rollstream.live_audits
    WHERE run_id = {run:String} AND class != '' AND cityHash64(rollout_id) % {buckets:UInt32} = {bucket:UInt32}
    GROUP BY epoch, rollout_id, attempt
  ) AS f ON f.epoch = d.epoch AND f.rollout_id = d.rollout_id AND f.attempt = d.attempt
)
GROUP BY policy, code, category, env_name, purpose, attempt, share, disposition, counted, no_tokens, sampled, system, attribution,
  verdicts, findings`;

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
  const [, , , code, category, envName, purpose, number, infraShare] = row;
  const [, , , , , , , , , , , missingTokens, sampled, system, attribution, ofVerdicts, classes] = row;
  const verdicts = ofVerdicts.map(([scorer, scorerVersion, status, rewards, boundTo]) => ({
    ...{ scorer, scorerVersion, rewards, boundTo, notFinite: [] },
    status: statusOf(status),
  }));
  const { verifierStatus, verifierFault } = verdictFactsOf(verdicts);
  return {
    attempt: {
      number,
      identity: { run_id: runId, env_name: envName, purpose },
      expiredBy,
      audited: { findings: classes.map((name) => ({ class: name })) },
      missingTokens,
      segments: [{ chunks: [{ sampledTokens: sampled }] }],
      facts: { verdicts, sampledTokens: missingTokens ? null : sampled, malformedCalls: 0, repairedCalls: 0 },
    },
    scored: {
      reasons: [reasonOf(code, system, attribution)],
      ...{ code, category, finishReason: null, verifierStatus, verifierFault, conflicts: [] },
      ...{ infraShare, policyShare: null, reward: null, rewardValid: false, components: {} },
    },
  };
}

function reasonOf(code: string, system: string, attribution: string | null): Reason {
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
