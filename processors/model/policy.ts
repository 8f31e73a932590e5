import type { Disposition } from '../../schemas/generated/trajectory.ts';

import type { AuditName } from './audit-summary.ts';
import type { GateRule } from './gate.ts';

/** What a policy may do with an attempt. */
export type RuledDisposition = Exclude<Disposition, 'superseded' | 'unknown'>;

/** What becomes of a code or a category. */
export interface CodeRule {
  readonly disposition: RuledDisposition;
  /** Reward when the verifier did not run by design: a number, or null (a score is required, its absence is a verifier fault). */
  readonly unscored: number | null;
  /** A verdict has to come before it is decided. */
  readonly awaitsVerdict: boolean;
  /** Component `penalty` of the reward; 0: none. */
  readonly penalty: number;
  /** Components without which the reward is invalid; null: as the scope says. */
  readonly required: readonly string[] | null;
  /** false: its reward does not count in the baseline of its group, whatever it is. */
  readonly inBaseline: boolean;
  /** Retries of a rollout before this drops it; null: as the policy says. */
  readonly retries: number | null;
}

/** When an exception applies: everything that is named must hold; of a list, one. Absent: anything. */
export interface Condition {
  readonly code?: readonly string[];
  readonly category?: readonly string[];
  /** System of the reason that decided. */
  readonly system?: readonly string[];
  readonly env?: readonly string[];
  readonly run?: readonly string[];
  /** Class of a finding of the audits. */
  readonly finding?: readonly string[];
  /** Whose time-out or out-of-memory it was. */
  readonly attribution?: ReadonlyArray<'policy' | 'env' | 'unknown'>;
  /** The infrastructure's share of the wall clock (0 to 1) is known, and above this; or at most this. */
  readonly infraShareAbove?: number;
  readonly infraShareAtMost?: number;
  /** true: the verifier scored the attempt; false: it did not. */
  readonly scored?: boolean;
}

/** An exception: the first one that applies overrides what the code or category says. */
export interface Exception {
  readonly when: Condition;
  readonly override: Partial<CodeRule>;
}

/** What is known of an attempt before it is scored: where it comes from, and the code that decides. */
export interface RulePlace {
  readonly code: string;
  readonly category: string;
  readonly system: string;
  readonly envName: string;
  readonly runId: string;
}

/** A rule, and where in the policy it stands: `codes.wall_clock`, `categories.budget`, `rules[2]`; empty: nowhere. */
export interface PlacedRule {
  readonly rule: CodeRule;
  readonly from: string;
}

/** All that a policy may make of attempts of one place. */
export interface PlacedRules extends PlacedRule {
  /** Exceptions that may apply there, in order, laid over the rule; what of `when` is left depends on the attempt. */
  readonly exceptions: ReadonlyArray<PlacedRule & { readonly when: Condition }>;
}

/** How a reward is made of its components. */
export interface RewardRule {
  /** Weight of a verifier's component by name. */
  readonly weights: ReadonlyMap<string, number>;
  /** Weight of components that are not named. 0: they are kept, and do not count. */
  readonly otherWeight: number;
  /** Components without which the reward is invalid, unless the code says otherwise. */
  readonly required: readonly string[];
  /** Added for each tool call that was malformed, or that a parser repaired. */
  readonly malformedCall: number;
  readonly repairedCall: number;
  /** DAPO (arXiv:2503.14476): 0 up to `maxTokens − bufferTokens` sampled tokens, falling to −`penalty` at `maxTokens`. */
  readonly softOverlong: { readonly maxTokens: number; readonly bufferTokens: number; readonly penalty: number } | null;
  /** Rewards bound to a turn: on `turns` alone, or summed into the reward, too. */
  readonly turns: 'apart' | 'sum';
  /** After the sum; each leaves a component `scale` or `clip` that says by how much it moved the reward. */
  readonly scale: number;
  readonly clip: { readonly min: number; readonly max: number } | null;
}

export interface GroupRule {
  /** complete: a group of known size leaves as a whole. each: members pass as they finish, without advantage. */
  readonly emit: 'complete' | 'each';
  /** Fewest members with a valid reward for a group to train; a smaller group size lowers it. */
  readonly minValid: number;
  readonly baseline: 'mean' | 'leave_one_out' | 'grpo' | 'none';
  /** grpo: divide by the standard deviation. */
  readonly divideByStd: boolean;
  readonly ddof: number;
  readonly eps: number;
  /** A group whose rewards are all equal: passes with advantage 0, or is dropped (dynamic sampling of DAPO). */
  readonly zeroVariance: 'pass' | 'drop';
  /** Rewards are equal when they differ by no more than this times the largest of 1 and their magnitudes. */
  readonly tolerance: number;
  /** A member with a fault of environment, infrastructure or harness: it leaves the others alone, takes the group with it, or masks it. */
  readonly onFault: 'keep' | 'drop' | 'mask';
}

export interface StalenessRule {
  /** Largest lag that trains; null: any. Lag: version being updated − oldest sampled version. */
  readonly maxLag: number | null;
  readonly over: 'drop' | 'mask_rollout' | 'mask_tokens';
  /** Of a version that nobody announced, or of none at all. Never fresh: only `keep` says that it does not matter. */
  readonly unknown: 'keep' | 'drop' | 'mask_rollout';
  /** What is over the limit when a trainer takes it: it expires alone, with what is left of its group, or is taken all the same. */
  readonly atTake: 'member' | 'group' | 'keep';
}

/** ms by the lane's clock; absent: as configured. */
export interface PolicyDeadlines {
  readonly gapMs?: number;
  readonly orphanMs?: number;
  readonly verdictMs?: number;
  readonly idleMs?: number;
  readonly groupMs?: number;
  readonly lifetimeMs?: number;
}

/** How many rollouts may start: capacity = (max_lag + version + 1) × batch − (accepted + running). */
export interface AdmissionRule {
  /** Rollouts of one optimizer step; null: admission is not limited by lag. */
  readonly batchRollouts: number | null;
  /** Most rollouts that run at a time, by environment. */
  readonly ceilings: ReadonlyMap<string, number>;
  /** A grant that is not used this long is given back. */
  readonly grantMs: number;
}

/** The rules that depend on where a rollout comes from. */
export interface Scope {
  readonly reward: RewardRule;
  readonly group: GroupRule;
  readonly staleness: StalenessRule;
  readonly deadlines: PolicyDeadlines;
  readonly admission: AdmissionRule;
  readonly gate: GateRule;
}

/** The versioned document that decides rewards and dispositions. */
export interface Policy {
  /** SHA-256 of the document, hex. */
  readonly id: string;
  readonly name: string;
  readonly codes: ReadonlyMap<string, CodeRule>;
  readonly categories: ReadonlyMap<string, CodeRule>;
  /** In order; the first that applies overrides. */
  readonly rules: readonly Exception[];
  /** The rule of the code, else of its category, and the exceptions that may apply there. Remembered by place. */
  readonly rulesAt: (place: RulePlace) => PlacedRules;
  /** Classes of findings that make the reward invalid, and what becomes of the attempt, whatever the verdict said: the first here that it has. */
  readonly findings: ReadonlyMap<string, 'drop' | 'quarantine' | 'train_masked'>;
  /** Audits that need a tokenizer and that a decision waits for; the others are sampled. */
  readonly awaitedAudits: ReadonlySet<AuditName>;
  /** Retries of a rollout before a fault drops it. */
  readonly retryLimit: number;
  /** Wait before the n-th retry: `firstMs × factor^n`, at most `mostMs`. */
  readonly backoff: { readonly firstMs: number; readonly factor: number; readonly mostMs: number };
  /** Remembered by run and environment. */
  readonly scopeOf: (runId: string, envName: string) => Scope;
}
