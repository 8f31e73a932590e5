import type { ExplainedAttempt, FiredPolicy } from '../access/explanation.ts';
import { deliveryWords } from '../explain/delivery-words.ts';
import { percent, shortNumber } from '../explain/reasons-in-words.ts';
import { replayWords } from '../explain/replay-words.ts';

/** A name and a value; a value may go on over further lines. */
export type Line = readonly [name: string, value: string];

/** Enough of an id to tell policies apart. */
const SHORT = 12;

/** What was decided about an attempt, and from what: reward, rule, weights, time. */
export function decisionLines(attempt: ExplainedAttempt): Line[] {
  return [
    ...rewardLines(attempt),
    ...outcomeLines(attempt),
    ...deliveryLines(attempt),
    ...replayLines(attempt),
    ...policyLines(attempt),
    ...weightsLines(attempt),
    ...timeLines(attempt),
  ];
}

function rewardLines({ decision, reward_parts: parts }: ExplainedAttempt): Line[] {
  if (decision === null || decision.disposition === 'superseded') return [];
  const value = decision.reward === null ? 'none (null, which is not 0)' : String(decision.reward);
  const note =
    decision.reward !== null || parts.every((part) => part.value !== null) || parts.length === 0
      ? ''
      : ': a part of it is missing';
  return [
    ['reward', `${value}${note}`],
    ...parts.map((part): Line => ['', `${part.name} = ${part.value ?? 'null'}, by ${part.from}`]),
    ...(decision.advantage === null ? [] : [['advantage', shortNumber(decision.advantage)] as const]),
  ];
}

function outcomeLines({ decision, closed_by: closing }: ExplainedAttempt): Line[] {
  if (decision === null) return [];
  const { disposition, why, conflicts, in_loss, in_baseline } = decision;
  const loss = in_loss ? 'in the loss' : 'not in the loss';
  // Without a group of known size there is no baseline to be in.
  const baseline =
    decision.group_size === null ? '' : in_baseline ? ', in the baseline of its group' : ', in no baseline';
  return [
    [
      'decided',
      `${disposition}, because ${why.filter((part) => !conflicts.includes(part)).join(', ')}; ${loss}${baseline}`,
    ],
    ...(closing === null ? [] : [['decided by', closingText(closing, decision.offset)] as const]),
  ];
}

const TO_READY: ReadonlySet<string> = new Set(['train', 'train_masked', 'penalise']);

/** Of what is ready, what became of it; forks that took it over have their own. */
function deliveryLines({ decision, held, deliveries = [] }: ExplainedAttempt): Line[] {
  if (decision === null || held !== undefined || !TO_READY.has(decision.disposition)) return [];
  const own = deliveries.find(({ run_id }) => run_id === decision.run_id) ?? null;
  const forks = deliveries.filter((delivery) => delivery !== own);
  return [
    ['delivery', deliveryWords(own)],
    ...forks.map((delivery): Line => ['', `in ${delivery.run_id}, a fork, it ${deliveryWords(delivery)}`]),
  ];
}

function replayLines({ decision, replays = [] }: ExplainedAttempt): Line[] {
  return replays.map((replay, index) => [index === 0 ? 'scored again' : '', replayWords(replay, decision)]);
}

function closingText(
  { kind, deadline, rollout_id: id }: NonNullable<ExplainedAttempt['closed_by']>,
  offset: number,
): string {
  const what =
    deadline !== null
      ? `the deadline ${deadline}${DEADLINE[deadline] === undefined ? '' : `: ${DEADLINE[deadline]}`}`
      : `the ${kind} event${id === '' ? '' : ` of ${id}`}`;
  return `${what} (offset ${offset})`;
}

const DEADLINE: Readonly<Record<string, string>> = {
  source_ended: 'its source has ended, and left it or its group open',
  idle: 'no event of it came for too long',
  gap: 'an event before others that came is missing',
  verdict: 'no verdict came in time',
  group: 'its group was not complete in time',
  lifetime: 'it was open for too long',
  orphan: 'its start event did not come in time',
};

function policyLines({ decision, policy }: ExplainedAttempt): Line[] {
  if (decision === null) return [];
  if (policy === null)
    return [['policy', `${decision.policy_id.slice(0, SHORT)}, whose text the store does not hold; ${decision.rule}`]];
  const name = `${policy.name} (${policy.policy_id.slice(0, SHORT)})`;
  if (policy.rules.length === 0) return [['policy', `${name}; no rule of it: no policy can change this`]];
  return policy.rules.map((rule, index) => [
    index === 0 ? 'policy rule' : '',
    ruleText(rule, policy, index === 0 ? name : ''),
  ]);
}

function ruleText({ path, line, text }: FiredPolicy['rules'][number], { file }: FiredPolicy, name: string): string {
  const section = path.replace(/\.[^.]*$/, '');
  const within = section === path || /\[\d+\]$/.test(path) ? '' : `  under ${section}`;
  if (line === null || text === null)
    return `${path}: not written, so its default holds${name === '' ? '' : `; policy ${name}`}`;
  const place = file === null ? `line ${line}` : `${file}:${line}`;
  return `${place}${within}${name === '' ? '' : `, policy ${name}`}\n${text.replace(/^/gm, '  ')}`;
}

function weightsLines({ decision, policy }: ExplainedAttempt): Line[] {
  if (decision === null || decision.n_sampled_tokens === 0) return [];
  const { weights_version_min: min, weights_version_max: max, lag } = decision;
  const versions =
    min === null ? 'not named, or not announced' : min === max || max === null ? min : `${min} to ${max}`;
  const limit =
    policy === null
      ? ''
      : policy.staleness.max_lag === null
        ? '; the policy sets no limit'
        : `; the policy allows ${policy.staleness.max_lag}`;
  const age =
    lag === null
      ? min === null
        ? ''
        : ', not announced, so how old they are is unknown'
      : lag === 0
        ? ', the newest'
        : `, ${lag} behind the newest`;
  return [['weights', `${versions}${age}${limit}`]];
}

function timeLines({ decision, trajectory }: ExplainedAttempt): Line[] {
  if (decision === null || trajectory === null) return [];
  const phases = Object.entries(trajectory.wall_ms).map(([phase, ms]) => `${phase} ${seconds(ms)}`);
  const { infra_share: infra, policy_share: own } = decision;
  if (phases.length === 0 && infra === null) return [];
  const { started_at: start, ended_at: end } = trajectory;
  const whole = start === null || end === null ? '' : `${seconds((end - start) / 1000)}: `;
  const shares = [
    infra === null ? 'whose time it was is unknown' : `${percent(infra)} infrastructure`,
    ...(own === null ? [] : [`${percent(own)} the policy's sampling`]),
  ];
  return [['time', `${whole}${shares.join(', ')}${phases.length === 0 ? '' : ` (${phases.join(', ')})`}`]];
}

function seconds(ms: number): string {
  return ms < 1000 ? `${shortNumber(ms)} ms` : `${shortNumber(ms / 1000)} s`;
}
