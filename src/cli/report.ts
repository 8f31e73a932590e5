import type { RunAccounting } from '../clickhouse/accounting.ts';
import { notTakenInText, rejectedOf } from './accounting-text.ts';
import { type Paint, plain } from './paint.ts';
import type { CategoryRow, ExampleRow, ReportData } from './report-data.ts';
import { drawTable, visible } from './table.ts';

/** What a start shows: what came in, what became of it, and what to look at. `command` names the data folder for the hints. */
export function reportText(data: ReportData, command: (words: string) => string, paint: Paint = plain): string {
  const { runs } = data.accounting;
  if (runs.length === 0) return 'Nothing has been imported yet.\n';
  return [
    ...flow(runs, paint),
    '',
    paint('bold', 'Reward by category'),
    indent(categoryTable(data.categories, paint)),
    ...examples(data.examples, command, paint),
    `Everything is SQL:  ${paint('cyan', command('query --list'))}`,
    '',
  ].join('\n');
}

function flow(runs: readonly RunAccounting[], paint: Paint): string[] {
  const total = (of: (run: RunAccounting) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  const [started, ready, rejected] = [total(({ started }) => started), total(({ ready }) => ready), total(rejectedOf)];
  const reasons = new Map<string, number>();
  for (const run of runs) {
    for (const [reason, n] of Object.entries(run.rejected)) reasons.set(reason, (reasons.get(reason) ?? 0) + n);
  }
  const width = String(started).length;
  const line = (name: string, n: number, note = '') =>
    `  ${name.padEnd(12)} ${String(n).padStart(width)}  ${note}`.trimEnd();
  const byCount = [...reasons].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  const rest = (['open', 'superseded', 'lost'] as const)
    .map((book) => [book, total((run) => run[book])] as const)
    .filter(([, n]) => n > 0);
  const refused = notTakenInText(runs);
  const balanced = runs.every((run) => run.balanced);
  return [
    paint('bold', `${started} attempts in ${runs.length === 1 ? 'one run' : `${runs.length} runs`}`),
    line('started', started),
    line('→ ready', ready, paint('green', 'for the trainer, in order')),
    line('→ rejected', rejected, rejected === 0 ? '' : paint('yellow', 'not trained, kept and explained:')),
    ...byCount.map(
      ([reason, n]) => `  ${' '.repeat(12)} ${' '.repeat(width)}  ${String(n).padStart(width)} ${visible(reason)}`,
    ),
    ...rest.map(([book, n]) => line(`→ ${book}`, n)),
    balanced
      ? `  ${paint('green', 'balanced')}: each attempt is in exactly one of these`
      : `  ${paint('red', 'NOT balanced')}: some attempt is missing or counted twice`,
    ...(refused === '' ? [] : [`  ${paint('yellow', refused)}`]),
  ];
}

function categoryTable(categories: readonly CategoryRow[], paint: Paint): string {
  const rows = categories.map((row) => [
    row.category,
    String(row.attempts),
    String(row.trained),
    String(row.rewarded),
    row.mean === null ? '-' : row.mean.toFixed(2),
    String(row.zero),
  ]);
  return drawTable(['category', 'attempts', 'to the trainer', 'with a reward', 'mean', 'zero'], rows, paint);
}

function examples(rows: readonly ExampleRow[], command: (words: string) => string, paint: Paint): string[] {
  if (rows.length === 0) return [];
  return [
    paint('bold', 'Look at these'),
    ...rows.flatMap((row, index) => [
      `  ${index + 1}. ${paint('bold', visible(row.rollout_id))}  ${paint('yellow', `${row.disposition}: ${visible(row.why[0] ?? row.reason_code)}`)}${row.alike > 1 ? `  (and ${row.alike - 1} like it)` : ''}`,
      `     ${whatHappened(row)}`,
      `     ${meaningOf(row)}`,
      `     ${paint('cyan', command(`explain ${quoted(row.rollout_id)}`))}`,
    ]),
    '',
  ];
}

/** The three facts, side by side. */
function whatHappened(row: ExampleRow): string {
  const loop = row.reason_raw === null ? 'The loop gave no reason' : `The loop said ${row.reason_raw}`;
  const engine = row.finish_reason === null ? 'the engine nothing' : `the engine ${finishReason(row.finish_reason)}`;
  const verifier = VERIFIER[row.verifier_status] ?? `the verifier: ${row.verifier_status}`;
  const reward = row.reward === null ? 'no reward' : `reward ${row.reward}`;
  return visible(`${loop}, ${engine}, ${verifier}; ${reward}.`);
}

const VERIFIER: Readonly<Record<string, string>> = {
  none: 'no verifier had spoken',
  scored: 'the verifier scored it',
  not_run: 'the verifier did not run',
  timeout: 'the verifier timed out',
  crash: 'the verifier crashed',
  missing: 'the verifier said nothing',
  parse_error: 'the verifier could not read it',
  refused: 'the verifier refused',
};

/** Some engines give an object, which is kept whole. */
function finishReason(text: string): string {
  try {
    const { type, message }: { type?: unknown; message?: unknown } = Object(JSON.parse(text));
    if (typeof type !== 'string') return text;
    return typeof message === 'string' ? `${type} (${message})` : type;
  } catch {
    return text;
  }
}

function meaningOf(row: ExampleRow): string {
  return (
    MEANING_OF_REASON[row.why[0] ?? ''] ??
    MEANING_OF_CATEGORY[row.category] ??
    'It is kept out of the training data until somebody has looked.'
  );
}

const MEANING_OF_REASON: Readonly<Record<string, string>> = {
  termination_conflict: 'Two facts contradict each other. Rewarding it would teach whichever one is wrong.',
  reward_missing: 'Done, but nobody scored it. Missing is not 0, so it waits to be scored.',
};

const MEANING_OF_CATEGORY: Readonly<Record<string, string>> = {
  completion: 'It claims to be done, and something speaks against that.',
  policy_failure: 'The policy itself failed.',
  budget: 'It ran out of its budget; who used it up decides whether the policy may learn from it.',
  harness_fault: 'The loop broke, not the policy: a reward would be noise.',
  env_fault: 'The environment broke, not the policy: a reward of 0 would blame the wrong one.',
  infra_fault: 'The infrastructure broke, not the policy: a reward of 0 would blame the wrong one.',
  verifier_fault: 'The verifier did not answer. That is not a 0: it waits to be scored again.',
  cancelled: 'Somebody cancelled it.',
  unknown: 'Nobody knows this reason yet, and it is not mapped to the nearest one.',
};

/** As a shell takes it. */
function quoted(word: string): string {
  if (/^[\w./:@%+=-]+$/.test(word)) return word;
  if (/\p{Cc}/u.test(word)) return `$'${visible(word.replace(/[\\']/g, '\\$&'))}'`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
