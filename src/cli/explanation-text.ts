import type { ExplainedAttempt, ExplainedRollout, Explanation, JsonRow } from '../access/explanation.ts';
import { type Paint, plain } from './paint.ts';
import { stepSummary } from './step-summary.ts';
import { drawTable, visible } from './table.ts';

/** What happened to a rollout, for a person: facts first, then what was decided from them. */
export function explanationText(explanation: Explanation, paint: Paint = plain): string {
  return explanation.rollouts.map((rollout) => rolloutText(explanation.rollout_id, rollout, paint)).join('\n');
}

function rolloutText(rolloutId: string, rollout: ExplainedRollout, paint: Paint): string {
  const title = `${rollout.run_id}/${rolloutId}${rollout.epoch === 0 ? '' : `, epoch ${rollout.epoch}`}`;
  const first = rollout.attempts.find(({ started }) => started !== null)?.started ?? rollout.attempts[0]?.decision;
  const group = textOf(first?.group_id);
  const size = textOf(first?.group_size);
  const facts = [
    ['task', textOf(first?.task_id)],
    ['environment', textOf(first?.env_name)],
    ['group', group === null ? 'none' : `${group}${size === null ? ', of unknown size' : ` of ${size}`}`],
    ['source', textOf(first?.source_location) ?? textOf(first?.source_format)],
  ];
  return [
    paint('bold', visible(title)),
    ...facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [line(name ?? '', value)])),
    '',
    ...rollout.attempts.map((attempt) => attemptText(attempt, paint)),
  ].join('\n');
}

function attemptText(attempt: ExplainedAttempt, paint: Paint): string {
  return [
    `attempt ${attempt.attempt}: ${outcomeOf(attempt, paint)}`,
    ...decisionLines(attempt.decision),
    ...reasonLines(attempt),
    ...attempt.verdicts.map((row) => line('verdict', verdictOf(row))),
    ...attempt.rewards.map((row) => line('reward part', `${textOf(row.component)} = ${textOf(row.value) ?? 'null'}`)),
    ...auditLines(attempt),
    ...stepLines(attempt.steps),
    ...faultLines(attempt.step_faults),
    '',
  ].join('\n');
}

function outcomeOf({ decision, started }: ExplainedAttempt, paint: Paint): string {
  if (decision === null) return started === null ? paint('yellow', 'never started') : paint('cyan', 'open');
  const disposition = textOf(decision.disposition) ?? 'unknown';
  const good = disposition === 'train' || disposition === 'train_masked' || disposition === 'penalise';
  return paint(good ? 'green' : 'red', `${disposition}, ${visible(textOf(decision.reason_code) ?? '')}`);
}

function decisionLines(decision: JsonRow | null): string[] {
  if (decision === null) return [];
  const advantage = textOf(decision.advantage);
  const valid = decision.reward_valid === true ? '' : ' (invalid)';
  const reward = `${textOf(decision.reward) ?? 'null'}${valid}${advantage === null ? '' : `, advantage ${advantage}`}`;
  const sizes = `${textOf(decision.n_turns)} turns, ${textOf(decision.n_tokens)} tokens, ${textOf(decision.n_sampled_tokens)} sampled`;
  return [
    line('why', listOf(decision.why).join(', ')),
    line('category', textOf(decision.category) ?? ''),
    line('reward', reward),
    line(
      'trains',
      `${decision.in_loss === true ? 'in the loss' : 'not in the loss'}, ${decision.in_baseline === true ? 'in the baseline' : 'not in the baseline'}`,
    ),
    line('size', sizes),
    line('policy', (textOf(decision.policy_id) ?? '').slice(0, 12)),
  ];
}

/** The three facts stay three: why the loop ended, what the engine said last, what the verifier said. */
function reasonLines({ decision, trajectory }: ExplainedAttempt): string[] {
  const reasons = trajectory?.reasons ?? [];
  const ended =
    reasons.length > 0
      ? reasons.map(({ code, raw, system, detail }) =>
          line('loop ended', `${code} (${system} said ${JSON.stringify(raw)}${detail === null ? '' : `: ${detail}`})`),
        )
      : [line('loop ended', textOf(decision?.reason_raw) ?? 'no reason given')];
  const finish = textOf(decision?.finish_reason);
  return [
    ...ended,
    line('engine', finish === null ? 'no finish reason' : `finish_reason ${finish}`),
    line('verifier', textOf(decision?.verifier_status) ?? 'none'),
  ];
}

function auditLines({ trajectory }: ExplainedAttempt): string[] {
  if (trajectory === null) return [];
  const results = Object.entries(trajectory.audit).map(([audit, result]) => `${audit} ${result}`);
  return [line('audits', results.join(', '))];
}

function stepLines(steps: readonly JsonRow[]): string[] {
  if (steps.length === 0) return [];
  const rows = steps.map((step) => [
    Number(step.seq) < 0 ? '' : (textOf(step.seq) ?? ''),
    textOf(step.kind) ?? '',
    stepSummary(step),
  ]);
  return [
    '',
    ...drawTable(['  seq', 'kind', 'what'], rows)
      .trimEnd()
      .split('\n')
      .map((row) => `  ${row}`),
  ];
}

function verdictOf(row: JsonRow): string {
  const late = row.late === true ? ', late' : '';
  const version = textOf(row.scorer_version) ?? '';
  return `${textOf(row.scorer)}${version === '' ? '' : ` ${version}`}: ${textOf(row.status)} ${textOf(row.rewards)}${late}`;
}

/** A file that was imported again leaves one a record: they are counted, not listed. */
function faultLines(faults: readonly JsonRow[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const row of faults) {
    const detail = textOf(row.reason_detail) ?? '';
    const reason = `${textOf(row.reason)}${detail === '' ? '' : ` (${detail})`}`;
    const same = kinds.get(reason);
    const kind = textOf(row.kind) ?? 'event';
    if (same === undefined) kinds.set(reason, [kind]);
    else same.push(kind);
  }
  return [...kinds].map(([reason, list]) =>
    line('not folded', `${list.length === 1 ? `one ${list[0]}` : `${list.length} events`}: ${reason}`),
  );
}

function line(name: string, value: string): string {
  return `  ${name.padEnd(12)} ${visible(value)}`;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
