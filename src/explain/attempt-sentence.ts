import type { DecisionJson, ExplainedAttempt, ExplainedGroup } from '../access/explanation.ts';
import { gateWhy } from '../gate/gate-why.ts';
import { codeWords, findingWords } from './code-words.ts';
import { loopClause, percent, rewardClause, shortNumber, validMembers, verifierClause } from './reasons-in-words.ts';

export type DecidedAttempt = Omit<ExplainedAttempt, 'summary' | 'would_train'>;

export interface SentenceContext {
  readonly group: ExplainedGroup | null;
  /** Attempts of the rollout, this one too, by number. */
  readonly attempts: ReadonlyArray<Pick<ExplainedAttempt, 'attempt' | 'decision' | 'started'>>;
}

/** What became of an attempt and why: one sentence for whoever has not seen the code. */
export function attemptSentence(attempt: DecidedAttempt, context: SentenceContext): string {
  const { decision, started } = attempt;
  if (decision === null) return started === null ? orphanSentence(attempt) : openSentence(attempt, context);
  const sentence = sentenceOf(attempt, decision, context);
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}${heldClause(attempt)}`;
}

function sentenceOf(attempt: DecidedAttempt, decision: DecisionJson, context: SentenceContext): string {
  const said = loopClause(decision);
  switch (decision.disposition) {
    case 'train':
      return `trains: ${said}; ${rewardClause(attempt)}${advantageClause(attempt, context)}.`;
    case 'penalise':
      return `trains, as a failure of the policy: ${said}; ${rewardClause(attempt)}${advantageClause(attempt, context)}.`;
    case 'train_masked':
      return `goes to the trainer, but out of the loss: ${maskedClause(attempt, decision, said)}.`;
    case 'retry':
      return retrySentence(attempt, context, said);
    case 'superseded':
      return 'superseded: a newer attempt started before this one had ended, and only the newest counts.';
    case 'quarantine':
      return quarantineSentence(attempt, decision, said);
    case 'drop':
      return dropSentence(attempt, decision, { ...context, said });
    default:
      return `${decision.disposition}: ${said}.`;
  }
}

/** What the policy lets go to the trainer, and a gate does not. */
function heldClause({ held }: DecidedAttempt): string {
  if (held === undefined) return '';
  const when = held.since === null ? '' : ` since ${held.since}`;
  const [first, ...others] = gateWhy(held.why);
  const why = first === undefined ? '' : `: ${[first, ...others].join('; ')}`;
  if (held.state === 'preflight')
    return ` It is held: the first trajectories of its run wait until the limits pass${when}.`;
  if (held.state === 'hold') return ` It is held: the gate of its run is closed${when}${why}.`;
  return ` It was held, and is on its way to ready: the gate of its run is ${held.state}${when}.`;
}

function advantageClause({ decision, trajectory }: DecidedAttempt, { group }: SentenceContext): string {
  if (decision === null || group === null || group.size === null) return '';
  if (decision.why.includes('score_versions_differ'))
    return '; without advantage, since two versions of a verifier scored its group';
  if (decision.advantage === null) return '';
  const stats = trajectory?.group_stats ?? null;
  const mean = stats?.mean === null || stats?.mean === undefined ? '' : ` (mean ${shortNumber(stats.mean)})`;
  const isFlat = decision.advantage === 0 && stats?.std === 0;
  return `; advantage ${shortNumber(decision.advantage)}${isFlat ? ', since all rewards of its group are equal' : ` within its group${mean}`}`;
}

function maskedClause({ verdicts, policy }: DecidedAttempt, decision: DecisionJson, said: string): string {
  const counted = decision.why[0] ?? '';
  if (counted === 'stale' || counted === 'weights_unknown')
    return `${ageClause(counted, decision, policy?.staleness.max_lag)}; ${said}`;
  if (isByFinding(decision)) return `${findingWords(counted)} (${counted})`;
  if (decision.why.includes('group_fault'))
    return `another member of its group was lost to a fault (group_fault); ${said}`;
  const share = decision.infra_share;
  if (decision.reason_code === 'wall_clock' || share !== null)
    return share === null
      ? `${said}, and nothing says whose time it was`
      : `${said}, and ${percent(share)} of the time was the infrastructure's`;
  const fault =
    verdicts.length === 0
      ? ''
      : `; ${decision.reward === null ? 'no reward' : `reward ${shortNumber(decision.reward)}`}`;
  return `${said}${fault}`;
}

function ageClause(why: string, decision: DecisionJson, limit: number | null | undefined): string {
  if (why === 'weights_unknown')
    return decision.weights_version_min === null
      ? 'nothing says which weights sampled it, or nobody announced them, so their age is unknown (weights_unknown)'
      : `nobody announced all the weights that sampled it (${decision.weights_version_min}), so their age is unknown (weights_unknown)`;
  const behind =
    decision.lag === null ? 'too old' : `${decision.lag} ${decision.lag === 1 ? 'version' : 'versions'} behind`;
  return `the weights that sampled it are ${behind}${limit === null || limit === undefined ? '' : `, and the policy allows ${limit}`} (stale)`;
}

function retrySentence({ attempt }: DecidedAttempt, { attempts, group }: SentenceContext, said: string): string {
  const next = attempts.find((other) => other.attempt > attempt && other.started !== null);
  if (next !== undefined) return `run again: ${said}. Attempt ${next.attempt} took its place.`;
  const isClosed = group !== null && group.size !== null && group.stats !== null;
  return `to be run again: ${said}. ${isClosed ? 'Its group closed without it: nobody ran it again in time' : 'Nobody has run it again yet'}.`;
}

function quarantineSentence({ verdicts, audits }: DecidedAttempt, decision: DecisionJson, said: string): string {
  const [counted = '', , ...rest] = decision.why;
  if (isByFinding(decision)) {
    const detail = audits.find((row) => row.class === counted)?.detail;
    return `quarantined: ${findingWords(counted)} (${counted}${typeof detail === 'string' && detail !== '' ? `: ${detail}` : ''}), so its reward cannot be trusted.`;
  }
  if (counted === 'record_too_large') return `quarantined: ${TOO_LARGE} (record_too_large); ${said}.`;
  if (counted === 'no_tokens' || counted === 'purpose') return `quarantined: ${said}; ${AND_BESIDE[counted]}.`;
  if (/^(?:verifier_|reward_missing$)/.test(counted)) {
    const loop = counted === decision.reason_code ? '' : `${said}, but `;
    return `quarantined, to be scored again: ${loop}${verifierClause(counted, verdicts, rest)}. A missing score is not a 0.`;
  }
  if (decision.reason_code === 'termination_conflict')
    return `quarantined: ${said}. Both cannot be true, so neither is taken for it.`;
  return `quarantined: ${said}, and a guess might train on a fault.`;
}

/** A finding of the audits decided: the policy names its class, or the gate of the run does meanwhile. */
function isByFinding({ rule }: DecisionJson): boolean {
  return rule.startsWith('findings.') || rule.startsWith('gate.');
}

const TOO_LARGE =
  'it is larger than a record of the log may be, and its tokens can go beside the log only where blobs.folder names a folder';

const AND_BESIDE = {
  no_tokens: 'it has no token ids either, so that it could not train',
  purpose: 'nor is its run one that trains',
} as const;

interface DropContext extends SentenceContext {
  readonly said: string;
}

function dropSentence(attempt: DecidedAttempt, decision: DecisionJson, { group, said, attempts }: DropContext): string {
  const counted = decision.why[0] ?? '';
  const alone = `by itself: ${said}; ${rewardClause(attempt)}`;
  switch (counted) {
    case 'purpose':
      return `not for training: its run is of purpose ${decision.purpose}; ${said}; ${rewardClause(attempt)}.`;
    case 'no_tokens':
      return `dropped: the token ids that the policy sampled are not there, and none are made up (no_tokens); ${said}; ${rewardClause(attempt)}.`;
    case 'group_too_small':
      return `dropped with its group: ${group === null ? 'too few members are valid' : `${validMembers(group.members)} of ${group.size ?? group.members.length} members are valid, and the policy wants ${group.min_valid ?? 'more'}`} (group_too_small); ${alone}.`;
    case 'zero_variance':
      return `dropped with its group: all its rewards are equal, so there is nothing to learn (zero_variance); ${alone}.`;
    case 'group_fault':
      return `dropped with its group: another member was lost to a fault (group_fault); ${alone}.`;
    case 'stale':
    case 'weights_unknown':
      return `dropped: ${ageClause(counted, decision, attempt.policy?.staleness.max_lag)}; ${said}; ${rewardClause(attempt)}.`;
    case 'group_closed':
      return 'dropped: its group closed before it had ended (group_closed).';
    default:
  }
  if (isByFinding(decision)) return `dropped: ${findingWords(counted)} (${counted}).`;
  if (decision.why.includes('retries_exhausted'))
    return `dropped: ${said}, and ${retriesClause(attempt, attempts, decision)}.`;
  if (decision.why.includes('group_closed'))
    return `dropped: ${said}, and its group closed before it could be run again.`;
  return `dropped: ${said}.`;
}

function retriesClause(
  { attempt }: DecidedAttempt,
  attempts: SentenceContext['attempts'],
  decision: DecisionJson,
): string {
  if (attempt === 0) return 'the policy allows no retry';
  const before = attempts.filter((other) => other.attempt < attempt && other.decision?.disposition === 'retry');
  const which = attempt === 1 ? 'it had been run twice' : `it had been run ${attempt + 1} times`;
  if (before.length > 0 && before.every((other) => other.decision?.reason_code === decision.reason_code))
    return attempt === 1
      ? 'the retry ended the same way'
      : attempt === 2
        ? 'both retries ended the same way'
        : `all ${attempt} retries ended the same way`;
  const others = before.map((other) => `attempt ${other.attempt}: ${codeWords(other.decision?.reason_code ?? '')}`);
  return `${which}${others.length === 0 ? '' : ` (${others.join('; ')})`}`;
}

/** A start that is an orphan itself only waited for what came before it; any other fault of a start is why it was refused. */
function orphanSentence({ step_faults: faults }: DecidedAttempt): string {
  const refused = faults.find(({ kind, reason }) => kind === 'start' && reason !== 'orphan');
  if (refused === undefined)
    return `Never started: its start event has not come, and ${eventsOf(faults.length)} could not be taken in without it.`;
  const text = (name: string) => (typeof refused[name] === 'string' ? refused[name] : '');
  const why = text('reason_detail') === '' ? '' : `, since ${text('reason_detail')}`;
  const group = text('group_id') === '' ? 'It has no group' : `The group that it named is ${text('group_id')}`;
  const rest = faults.length === 1 ? '' : `, and ${eventsOf(faults.length - 1)} more could not be taken in`;
  return `Never started: its start was refused${why} (${text('reason')}). ${group}${rest}.`;
}

function eventsOf(n: number): string {
  return n === 1 ? 'one event' : `${n} events`;
}

function openSentence({ steps, verdicts }: DecidedAttempt, { group }: SentenceContext): string {
  const events = `${steps.length} ${steps.length === 1 ? 'event' : 'events'} so far`;
  if (!steps.some(({ kind }) => kind === 'end')) return `Still open: ${events}, and no end event yet.`;
  if (verdicts.length === 0)
    return `Still open: it has ended (${events}), and waits for a verdict${group?.size == null ? '' : ', then for its group'}.`;
  const waiting = group?.members.filter(({ disposition }) => disposition === null).length ?? 0;
  const missing = group?.size == null ? 0 : Math.max(0, group.size - group.members.length);
  return group === null
    ? `Still open: it has ended and has a verdict (${events}), and waits for another event.`
    : `Still open: it has ended and has a verdict (${events}); its group waits, with ${waiting} open and ${missing} that have not started of ${group.size ?? 'unknown size'}.`;
}
