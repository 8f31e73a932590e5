import type { Judgement } from '../../processors/model/judgement.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { ExplainedGroup } from '../access/explanation.ts';
import { findingWords } from './code-words.ts';
import {
  factsOfAttempt,
  heldOf,
  judgeFacts,
  type KnownAttempt,
  type KnownFacts,
  withVerdicts,
} from './facts-of-attempt.ts';
import { groupRemedies } from './group-remedies.ts';
import { percent, shortNumber } from './reasons-in-words.ts';
import type { RecalledPolicy } from './recall-policy.ts';

export interface WouldTrainContext {
  readonly runId: string;
  readonly group: ExplainedGroup | null;
  readonly recalled: RecalledPolicy;
  readonly shipped: readonly RecalledPolicy[];
}

/**
 * What would have made an attempt train: the rules are asked again with one fact changed. Where they do not come to what was
 * decided, something decided that the store does not show, and nothing is claimed.
 */
export function wouldTrain(known: KnownAttempt, context: WouldTrainContext): string[] {
  const { decision } = known;
  const { policy } = context.recalled;
  if (decision.in_loss) return [];
  const ofGroup = groupRemedies(decision, context.group, policy.scopeOf(context.runId, decision.env_name));
  if (ofGroup !== null) return ofGroup;
  const facts = factsAsDecided(known, context);
  if (facts === null) return [];
  const found = [
    ...verdictRemedy(facts, known, policy),
    ...reasonRemedy(facts, known, policy),
    ...findingRemedy(facts, policy),
    ...shareRemedy(facts, policy),
    ...attributionRemedy(facts, policy),
    ...sourceRemedies(facts, policy),
  ];
  return [...found, ...otherPolicies(facts, context)];
}

function factsAsDecided(known: KnownAttempt, { runId, recalled }: WouldTrainContext): KnownFacts | null {
  for (const expiredBy of [null, 'a deadline']) {
    const facts = factsOfAttempt(known, runId, expiredBy);
    if (judgeFacts(facts, recalled.policy).ruling === known.decision.disposition) return facts;
  }
  return null;
}

function trains({ ruling, inLoss }: Judgement): boolean {
  return inLoss && (ruling === 'train' || ruling === 'penalise');
}

/** A score for every component that has to be there. */
function verdictRemedy(facts: KnownFacts, { verdicts, decision }: KnownAttempt, policy: Policy): string[] {
  const { run_id: runId, env_name: envName } = facts.attempt.identity;
  const { reason_code: code, category } = decision;
  const { rule } = policy.rulesAt({ code, category, system: '', envName, runId });
  const required = rule.required ?? policy.scopeOf(runId, envName).reward.required;
  const counting = verdicts.filter(({ standing }) => standing === 'counts');
  const names = new Set([...required, ...counting.flatMap(({ rewards }) => Object.keys(rewards))]);
  const [first] = counting.map(heldOf);
  const rewards = Object.fromEntries([...(names.size === 0 ? ['reward'] : names)].map((name) => [name, 1]));
  const answered = { ...(first ?? NOBODY), status: 'scored' as const, rewards, notFinite: [], boundTo: null };
  const others = counting.map(heldOf).filter(({ boundTo }) => boundTo !== null);
  if (!trains(judgeFacts(withVerdicts(facts, [answered, ...others]), policy))) return [];
  const late = verdicts.find(({ standing, status }) => standing === 'late' && status === 'scored');
  return [
    late === undefined
      ? `a verdict that scores it${first === undefined ? '' : ` (from ${first.scorer})`}: it need not be run again, only scored`
      : `the verdict of ${late.scorer}, had it come in time: it is kept as late`,
  ];
}

const NOBODY = { scorer: 'a verifier', scorerVersion: '' };

/** The reason: without its contradiction, or with a name that the taxonomy knows. */
function reasonRemedy(facts: KnownFacts, { verdicts }: KnownAttempt, policy: Policy): string[] {
  const { scored } = facts;
  // It was decided without waiting for its verdict, which may have come since.
  const scoredLater = withVerdicts(facts, verdicts.filter(({ standing }) => standing !== 'superseded').map(heldOf));
  const as = (code: string, category: string): string | null => {
    const judgement = judgeFacts(
      { ...scoredLater, scored: { ...scoredLater.scored, code, category, conflicts: [] } },
      policy,
    );
    if (judgement.ruling === 'wait') return 'once a verdict has scored it';
    return trains(judgement)
      ? `with reward ${judgement.reward === null ? 'null' : shortNumber(judgement.reward)}`
      : null;
  };
  if (scored.code === 'termination_conflict') {
    const said = scored.reasons.find(({ category }) => category === 'completion');
    const how = said === undefined ? null : as(said.code, said.category);
    return how === null ? [] : [`no contradiction: it would count as ${said?.code}, and train ${how}`];
  }
  // Its source says only that the verifier failed: a score alone would not do.
  if (scored.category === 'verifier_fault' && scored.reasons.every(({ category }) => category === 'verifier_fault')) {
    const answered = withVerdicts(facts, [
      { ...NOBODY, status: 'scored', rewards: { reward: 1 }, notFinite: [], boundTo: null },
    ]);
    const done = { ...answered, scored: { ...answered.scored, code: 'task_complete', category: 'completion' } };
    return trains(judgeFacts(done, policy))
      ? ['an end event that says why the loop ended, not only that its verifier failed; and a verdict that scores it']
      : [];
  }
  if (scored.code !== 'unknown') return [];
  const unmapped = scored.reasons.find(({ code }) => code === 'unknown');
  const how = as('task_complete', 'completion');
  if (how === null) return [];
  return [
    unmapped === undefined || unmapped.raw === ''
      ? `an end event that says why it ended: as a completion, for one, it would train ${how}`
      : `a taxonomy that says what ${JSON.stringify(unmapped.raw)} of ${unmapped.system} means: as a completion, for one, it would train ${how}`,
  ];
}

function findingRemedy(facts: KnownFacts, policy: Policy): string[] {
  const findings = facts.attempt.audited?.findings ?? [];
  if (findings.length === 0) return [];
  if (!trains(judgeFacts({ ...facts, attempt: { ...facts.attempt, audited: null } }, policy))) return [];
  return findings.slice(0, 1).map(({ class: name }) => `no ${name}: ${findingWords(name)}`);
}

/** An exception that asks for the infrastructure's share of the time. */
function shareRemedy(facts: KnownFacts, policy: Policy): string[] {
  for (const infraShare of [0, 1]) {
    const { ruling, inLoss, rule } = judgeFacts({ ...facts, scored: { ...facts.scored, infraShare } }, policy);
    const when = policy.rules[Number(/^rules\[(\d+)\]$/.exec(rule)?.[1] ?? -1)]?.when;
    const limit = when?.infraShareAtMost ?? when?.infraShareAbove;
    if (limit === undefined || !inLoss || ruling === 'drop') continue;
    const is = facts.scored.infraShare;
    const side = when?.infraShareAtMost === undefined ? 'above' : 'at most';
    return [
      `a share of the infrastructure in its time of ${side} ${percent(limit)}: ${is === null ? 'its events do not say whose time it was' : `it was ${percent(is)}`}`,
    ];
  }
  return [];
}

/** Events that say whose time-out or memory it was, where they do not. */
function attributionRemedy(facts: KnownFacts, policy: Policy): string[] {
  const { scored } = facts;
  if (!scored.reasons.some(({ code, attribution }) => code === scored.code && attribution === 'unknown')) return [];
  const reasons = scored.reasons.map((reason) =>
    reason.attribution === null ? reason : { ...reason, attribution: 'policy' },
  );
  const judgement = judgeFacts({ ...facts, scored: { ...scored, reasons } }, policy);
  if (!trains(judgement) && judgement.ruling !== 'wait') return [];
  return ['tool results that say how long each waited and ran, if they show that its own command was to blame'];
}

/** What the source would have had to keep, or be. */
function sourceRemedies(facts: KnownFacts, policy: Policy): string[] {
  const { attempt } = facts;
  const withTokens = { missingTokens: false, segments: [{ chunks: [{ sampledTokens: 1 }] }] };
  const tokens = { ...facts, attempt: { ...attempt, ...withTokens } };
  const run = { ...facts, attempt: { ...attempt, identity: { ...attempt.identity, purpose: 'train' as const } } };
  return [
    ...(trains(judgeFacts(tokens, policy)) ? ['token ids for every model call: its source must keep them'] : []),
    ...(trains(judgeFacts(run, policy))
      ? [`a run of purpose train: this one is of purpose ${attempt.identity.purpose}`]
      : []),
  ];
}

/** Shipped policies that would train it as it is. */
function otherPolicies(facts: KnownFacts, { recalled, shipped }: WouldTrainContext): string[] {
  const names = shipped
    .filter(({ policy }) => policy.id !== recalled.policy.id && trains(judgeFacts(facts, policy)))
    .map(({ policy }) => policy.name);
  return names.length === 0 ? [] : [`another policy: ${names.join(', ')} would train it as it is`];
}
