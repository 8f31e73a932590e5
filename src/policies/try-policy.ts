import { ruleOn } from '../../processors/decide/rule-on.ts';
import type { Judgement } from '../../processors/model/judgement.ts';
import type { Policy } from '../../processors/model/policy.ts';
import { sumComponents } from '../../processors/score/sum-components.ts';
import type { Access } from '../access/access.ts';
import { RollstreamError } from '../errors.ts';
import { DECIDED_FACTS_SQL, type DecidedFacts, type DecidedRow, decidedFacts } from './decided-facts.ts';
import { factsAsked, unseenOf } from './facts-asked.ts';
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
  const used = await rowsOf<{ policy_id: string; n: number; envs: readonly string[] }>(
    access,
    `SELECT policy_id, toUInt32(count()) AS n, groupUniqArray(env_name) AS envs FROM rollstream.live_decisions
     WHERE run_id = {run:String} AND disposition != 'superseded' GROUP BY policy_id`,
    { run: runId },
  );
  if (used.length === 0)
    throw new RollstreamError('RS_NOT_FOUND', `nothing was decided in a run ${runId}`, { facts: { field: 'run' } });
  const made: Policy[] = [];
  for (const { policy_id } of used) made.push(await policyOf(policy_id));
  const envs = [...new Set(used.flatMap((row) => row.envs))];
  const decisions = used.reduce((sum, { n }) => sum + n, 0);
  const buckets = Math.max(1, Math.ceil(decisions / BUCKET_DECISIONS));
  const asked = factsAsked(policy, made, runId, envs);
  const tally = createTally(policy, made, runId, asked.values);
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const policies = used.map(({ policy_id }) => policy_id);
    const params = { run: runId, buckets, bucket, policies, ...asked };
    for (const { row } of await rowsOf<{ row: DecidedRow }>(access, DECIDED_FACTS_SQL, params)) tally.add(row);
  }
  const unseen = unseenOf(policy, made, runId, envs);
  return { run_id: runId, policy_id: policy.id, name: policy.name, decisions, ...tally.result(), unseen };
}

function createTally(policy: Policy, made: readonly Policy[], runId: string, hasValues: boolean) {
  const changes = new Map<string, TriedChange>();
  const unknown = new Map<string, number>();
  const rewards = { changed: 0, before: 0, after: 0, n: 0 };
  let same = 0;
  let changed = 0;
  return {
    add(row: DecidedRow): void {
      const [n, example, place, code, , , , , , disposition, counted] = row;
      const before = made[place - 1];
      const decided = before === undefined ? null : asDecided(row, runId, before);
      const after = decided === null ? null : judged(decided.facts, policy);
      if (decided === null || after === null || after.ruling === 'wait') {
        const why = after === null ? counted : `${counted}: would wait for a verdict`;
        unknown.set(why, (unknown.get(why) ?? 0) + n);
        return;
      }
      if (after.ruling === disposition) {
        same += n;
        const was = decided.judgement.reward;
        if (after.reward !== was) rewards.changed += n;
        if (after.reward === null || was === null) return;
        rewards.n += n;
        rewards.before += n * was;
        rewards.after += n * after.reward;
        return;
      }
      changed += n;
      const why = after.why.join(', ');
      const key = JSON.stringify([code, disposition, after.ruling, after.rule, why]);
      const known = changes.get(key);
      changes.set(key, {
        ...{ code, from: disposition, to: after.ruling, rule: after.rule, why },
        // The least of them, whatever the order they come in.
        ...{
          n: (known?.n ?? 0) + n,
          example: known !== undefined && known.example < example ? known.example : example,
        },
      });
    },
    result() {
      const mean = (sum: number) => (hasValues && rewards.n > 0 ? sum / rewards.n : null);
      return {
        same,
        changed,
        changes: [...changes.values()].sort((a, b) => b.n - a.n || (a.code < b.code ? -1 : 1)),
        rewards: { changed: rewards.changed, mean_before: mean(rewards.before), mean_after: mean(rewards.after) },
        not_recomputed: [...unknown].map(([why, n]) => ({ why, n })).sort((a, b) => b.n - a.n),
      };
    },
  };
}

interface AsDecided {
  readonly facts: DecidedFacts;
  readonly judgement: Judgement;
}

/** The facts under which the policy that decided comes to what was decided; null: it does not. */
function asDecided(row: DecidedRow, runId: string, before: Policy): AsDecided | null {
  for (const expiredBy of [null, 'a deadline']) {
    const facts = decidedFacts(row, runId, expiredBy);
    const judgement = judged(facts, before);
    if (judgement.ruling === row[9]) return { facts, judgement };
  }
  return null;
}

function judged({ attempt, scored }: DecidedFacts, policy: Policy): Judgement {
  return ruleOn(attempt, scored, policy, ({ facts }, rule, code) => sumComponents(facts, rule, code));
}
