import { isDeepStrictEqual } from 'node:util';
import { ruleOn } from '../../processors/decide/rule-on.ts';
import type { Judgement } from '../../processors/model/judgement.ts';
import type { Policy } from '../../processors/model/policy.ts';
import { sumComponents } from '../../processors/score/sum-components.ts';
import type { Access } from '../access/access.ts';
import { RollstreamError } from '../errors.ts';
import { DECIDED_FACTS_SQL, type DecidedFacts, type DecidedRow, decidedFacts } from './decided-facts.ts';
import { rowsOf } from './find-policy.ts';

/** Decisions of one kind that another policy would make otherwise. */
export interface TriedChange {
  readonly code: string;
  readonly from: string;
  readonly to: string;
  /** Where in the policy that was tried. */
  readonly rule: string;
  readonly why: string;
  readonly n: number;
  /** One of them. */
  readonly example: string;
}

export interface TriedPolicy {
  readonly run_id: string;
  readonly policy_id: string;
  readonly name: string;
  readonly decisions: number;
  readonly same: number;
  readonly changed: number;
  readonly changes: readonly TriedChange[];
  /** Rollouts that train under both, with another reward. */
  readonly rewards: {
    readonly changed: number;
    readonly mean_before: number | null;
    readonly mean_after: number | null;
  };
  /** Decided by more than the store holds, by the reason that was counted: a group, staleness, a deadline. */
  readonly not_recomputed: readonly { readonly why: string; readonly n: number }[];
  /** What of the policy shows only when it is in force. */
  readonly unseen: readonly string[];
}

export interface TryPolicyDeps {
  readonly access: Pick<Access, 'query'>;
  /** The policy of an id that decided something. */
  readonly policyOf: (id: string) => Promise<Policy>;
}

/** Decisions that are read at a time. */
const BUCKET_DECISIONS = 500_000;

/**
 * What a policy would make of the decisions of a run. Each is ruled on twice, by the policy that made it and by this one: where the
 * first does not come to what was decided, something decided that the store does not show, and nothing is claimed.
 */
export async function tryPolicy(
  policy: Policy,
  runId: string,
  { access, policyOf }: TryPolicyDeps,
): Promise<TriedPolicy> {
  const used = await rowsOf<{ policy_id: string; n: number }>(
    access,
    `SELECT policy_id, toUInt32(count()) AS n FROM rollstream.live_decisions
     WHERE run_id = {run:String} AND disposition != 'superseded' GROUP BY policy_id`,
    { run: runId },
  );
  if (used.length === 0)
    throw new RollstreamError('RS_NOT_FOUND', `nothing was decided in a run ${runId}`, { facts: { field: 'run' } });
  const made = new Map<string, Policy>();
  for (const { policy_id } of used) made.set(policy_id, await policyOf(policy_id));
  const decisions = used.reduce((sum, { n }) => sum + n, 0);
  const buckets = Math.max(1, Math.ceil(decisions / BUCKET_DECISIONS));
  const policies = [policy, ...made.values()];
  const tally = createTally(policy, runId, made);
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const rows = await rowsOf<DecidedRow>(access, DECIDED_FACTS_SQL, {
      ...{ run: runId, buckets, bucket, shares: codesAskingShares(policies) },
      tokens: policies.some(({ scopeOf }) => scopeOf(runId, '').reward.softOverlong !== null),
    });
    for (const row of rows) tally.add(row);
  }
  return {
    run_id: runId,
    policy_id: policy.id,
    name: policy.name,
    decisions,
    ...tally.result(),
    unseen: unseenOf(policies, runId),
  };
}

function createTally(policy: Policy, runId: string, made: ReadonlyMap<string, Policy>) {
  const changes = new Map<string, TriedChange>();
  const unknown = new Map<string, number>();
  const rewards = { changed: 0, before: 0, after: 0, n: 0 };
  let same = 0;
  let changed = 0;
  return {
    add(row: DecidedRow): void {
      const before = made.get(row.policy_id);
      const facts = before === undefined ? null : factsAsDecided(row, runId, before);
      const after = facts === null ? null : judged(facts, policy);
      if (after === null || after.ruling === 'wait') {
        const why = after === null ? row.counted : `${row.counted}: would wait for a verdict`;
        unknown.set(why, (unknown.get(why) ?? 0) + row.n);
        return;
      }
      if (after.ruling === row.disposition) {
        same += row.n;
        if (after.reward === null || row.reward === null) return;
        rewards.n += row.n;
        rewards.before += row.n * row.reward;
        rewards.after += row.n * after.reward;
        if (after.reward !== row.reward) rewards.changed += row.n;
        return;
      }
      changed += row.n;
      const why = after.why.join(', ');
      const key = JSON.stringify([row.code, row.disposition, after.ruling, after.rule, why]);
      const known = changes.get(key);
      changes.set(key, {
        ...{ code: row.code, from: row.disposition, to: after.ruling, rule: after.rule, why },
        ...{ n: (known?.n ?? 0) + row.n, example: known?.example ?? row.example },
      });
    },
    result: () => ({
      same,
      changed,
      changes: [...changes.values()].sort((a, b) => b.n - a.n || (a.code < b.code ? -1 : 1)),
      rewards: {
        changed: rewards.changed,
        mean_before: rewards.n === 0 ? null : rewards.before / rewards.n,
        mean_after: rewards.n === 0 ? null : rewards.after / rewards.n,
      },
      not_recomputed: [...unknown].map(([why, n]) => ({ why, n })).sort((a, b) => b.n - a.n),
    }),
  };
}

/** The facts under which the policy that decided comes to what was decided; null: it does not. */
function factsAsDecided(row: DecidedRow, runId: string, before: Policy): DecidedFacts | null {
  for (const expiredBy of [null, 'a deadline']) {
    const facts = decidedFacts(row, runId, expiredBy);
    if (judged(facts, before).ruling === row.disposition) return facts;
  }
  return null;
}

function judged({ attempt, scored }: DecidedFacts, policy: Policy): Judgement {
  return ruleOn(attempt, scored, policy, ({ facts }, rule, code) => sumComponents(facts, rule, code));
}

/** Codes for which a rule asks for the infrastructure's share; `*`: any. */
function codesAskingShares(policies: readonly Policy[]): string[] {
  const asking = policies
    .flatMap(({ rules }) => rules)
    .filter(({ when }) => when.infraShareAbove !== undefined || when.infraShareAtMost !== undefined);
  return [...new Set(asking.flatMap(({ when }) => when.code ?? ['*']))];
}

function unseenOf([tried, ...made]: readonly Policy[], runId: string): string[] {
  if (tried === undefined) return [];
  const scope = tried.scopeOf(runId, '');
  const differs = (part: 'group' | 'staleness' | 'deadlines' | 'admission') =>
    made.some((policy) => !isDeepStrictEqual(policy.scopeOf(runId, '')[part], scope[part]));
  const { malformedCall, repairedCall } = scope.reward;
  return [
    ...(differs('group') ? ['groups: advantages, groups without spread, min_valid and on_fault'] : []),
    ...(differs('staleness') ? ['staleness: what its lag was when it was decided'] : []),
    ...(differs('deadlines') ? ['deadlines: who would have been waited for'] : []),
    ...(differs('admission') ? ['admission: what would have been started'] : []),
    ...(malformedCall !== 0 || repairedCall !== 0 ? ['malformed_call and repaired_call: how many there were'] : []),
  ];
}
