import type { ExplainedAttempt, ExplainedGroup, ExplainedRollout, Explanation } from '../access/explanation.ts';
import { shortNumber } from '../explain/reasons-in-words.ts';
import { attemptLines } from './attempt-lines.ts';
import { type Paint, plain } from './paint.ts';
import { stepSummary } from './step-summary.ts';
import { drawTable, visible } from './table.ts';

/** What happened to a rollout, for a person: what became of it, what would have helped, then the facts. */
export function explanationText(explanation: Explanation, paint: Paint = plain): string {
  return explanation.rollouts.map((rollout) => rolloutText(explanation.rollout_id, rollout, paint)).join('\n');
}

function rolloutText(rolloutId: string, rollout: ExplainedRollout, paint: Paint): string {
  const { attempts, group } = rollout;
  const last = attempts.findLast(({ started, decision }) => started !== null || decision !== null);
  const title = `${rollout.run_id}/${rolloutId}${rollout.epoch === 0 ? '' : `, epoch ${rollout.epoch}`}`;
  return [
    paint('bold', visible(title)),
    paint(colourOf(last), visible(rollout.summary)),
    ...remedyLines(last, paint),
    '',
    ...placeLines(last ?? attempts.at(-1), group),
    ...(group === null ? [] : groupLines(group, rolloutId)),
    '',
    ...attempts.flatMap((attempt) => attemptText(attempt, attempts.length > 1, paint)),
  ].join('\n');
}

function colourOf(attempt: ExplainedAttempt | undefined): 'green' | 'yellow' | 'cyan' {
  if (attempt?.decision === null || attempt === undefined) return 'cyan';
  return attempt.decision.in_loss ? 'green' : 'yellow';
}

function remedyLines(attempt: ExplainedAttempt | undefined, paint: Paint): string[] {
  if (attempt === undefined || attempt.would_train.length === 0) return [];
  const head =
    attempt.would_train.length === 1 ? 'What would have made it train' : 'What would have made it train, any of these';
  return ['', paint('bold', head), ...attempt.would_train.map((way) => `  - ${visible(way)}`)];
}

function placeLines(attempt: ExplainedAttempt | undefined, group: ExplainedGroup | null): string[] {
  const row = attempt?.started ?? attempt?.decision ?? attempt?.step_faults[0];
  const text = (name: string) => (row?.[name] === null || row?.[name] === undefined ? '' : String(row[name]));
  const facts = [
    ['task', text('task_id')],
    ['environment', text('env_name')],
    ['source', text('source_location') || text('source_format')],
    ...(group === null ? [['group', text('group_id') || 'none']] : []),
  ];
  return facts.flatMap(([name = '', value = '']) => (value === '' ? [] : [line(name, value)]));
}

/** Most members that a text lists; the JSON has all. */
const MOST_MEMBERS = 16;

function groupLines({ group_id: id, size, stats, members }: ExplainedGroup, rolloutId: string): string[] {
  const known =
    size === null
      ? 'of unknown size: each passes alone, without advantage'
      : `${members.length} of ${size} have started`;
  const ready = members.filter(({ disposition }) => /^(?:train|train_masked|penalise)$/.test(disposition ?? '')).length;
  const lines = [line('group', `${id}: ${known}; ${ready} to the trainer`)];
  if (stats !== null)
    lines.push(
      line(
        'baseline',
        `${stats.baseline} over ${stats.n} rewards: mean ${orNull(stats.mean)}, std ${orNull(stats.std)}`,
      ),
    );
  if (size === null && members.length > 1) return lines;
  const shown = members.slice(0, MOST_MEMBERS).map((member) => {
    const { disposition, why, reward, advantage, attempt } = member;
    const name = `${member.rollout_id}${attempt === 0 ? '' : ` attempt ${attempt}`}`;
    const outcome = disposition === null ? 'open' : `${disposition} (${why[0] ?? ''})`;
    const own = member.rollout_id === rolloutId ? '→' : ' ';
    return [own, name, outcome, orNull(reward), orNull(advantage)];
  });
  const table = drawTable(['', 'member', 'became', 'reward', 'advantage'], shown).trimEnd().split('\n');
  const more = members.length > MOST_MEMBERS ? [`    and ${members.length - MOST_MEMBERS} more`] : [];
  return [...lines, ...table.map((row) => `    ${row}`), ...more];
}

function orNull(value: number | null): string {
  return value === null ? 'null' : shortNumber(value);
}

function attemptText(attempt: ExplainedAttempt, isOneOfSeveral: boolean, paint: Paint): string[] {
  const head = `Attempt ${attempt.attempt}`;
  return [
    paint('bold', head),
    ...(isOneOfSeveral ? [`  ${visible(attempt.summary)}`] : []),
    ...attemptLines(attempt).map(([name, value]) => line(name, value)),
    ...stepLines(attempt),
    '',
  ];
}

function stepLines({ steps }: ExplainedAttempt): string[] {
  if (steps.length === 0) return [];
  const rows = steps.map((step) => [
    Number(step.seq) < 0 ? '' : String(step.seq ?? ''),
    String(step.kind ?? ''),
    stepSummary(step),
  ]);
  const table = drawTable(['  seq', 'kind', 'what'], rows).trimEnd().split('\n');
  return ['', ...table.map((row) => `  ${row}`)];
}

function line(name: string, value: string): string {
  // An excerpt of a document keeps its lines.
  const [first = '', ...rest] = value.split('\n').map(visible);
  return [`  ${name.padEnd(14)} ${first}`, ...rest.map((row) => `${' '.repeat(17)}${row}`)].join('\n');
}
