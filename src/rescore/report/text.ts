import type { DiffCell } from '../../../processors/replay/diff-tally.ts';
import { counted } from '../../audit/report/figures.ts';
import { type Paint, plain } from '../../cli/paint.ts';
import { drawTable, visible } from '../../cli/table.ts';
import type { ReplayReport } from '../replays.ts';
import { changeWords, numberText } from './change-words.ts';
import { movedCells } from './moved-cells.ts';
import { changeLines, emittedLines, headLines, nextLines } from './report-lines.ts';

/** Attempts, names and groups that a terminal is shown; the JSON and the page have more. */
const ATTEMPTS = 20;
const NAMES = 5;
const GROUPS = 5;

/** The report for a person at a terminal, by line. */
export function reportText(report: ReplayReport, paint: Paint = plain): string[] {
  const { status, diff, refused } = report;
  const { replay_id, label } = status;
  const title = `Replay ${visible(replay_id)}${label === '' ? '' : `, ${visible(label)}`}`;
  return [
    `${paint('bold', title)}${status.saved ? '' : ' (a dry run: nothing is kept but this report)'}`,
    ...headLines(report).map(visible),
    ...changeLines(report).map(visible),
    ...section('Reasons', cellLines(diff.reasons, paint), paint),
    ...section('Categories', cellLines(diff.categories, paint), paint),
    ...section('Dispositions', cellLines(diff.dispositions, paint), paint),
    ...section('Rewards', cellLines(diff.rewards.matrix, paint, diff.rewards.other), paint),
    ...section('Groups whose advantages moved', groupLines(report, paint), paint),
    ...section('Changed', attemptLines(report, paint), paint),
    ...section('Not replayed', refusedLines(refused, paint), paint),
    ...section('Emitted', emittedLines(report).map(visible), paint),
    ...section(
      'Next',
      nextLines(report).map(([what, command]) => `${visible(command)}   # ${what}`),
      paint,
    ),
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint('bold', title), ...lines.map((line) => `  ${line}`)];
}

/** `uncounted`: attempts that have no cell, equal ones among them. */
function cellLines(matrix: readonly DiffCell[], paint: Paint, uncounted = 0): string[] {
  const { cells, more } = movedCells(matrix, uncounted);
  const rows = cells.map(({ from, to, n, examples }) => [from, to, String(n), examples[0] ?? '']);
  return [
    ...(rows.length === 0 ? [] : tableLines(['was', 'is', 'attempts', 'such as'], rows, paint)),
    ...(more === 0 ? [] : [`and ${counted(more, 'attempt')} of other values`]),
  ];
}

function groupLines({ diff }: ReplayReport, paint: Paint): string[] {
  const { examples, groups_moved } = diff.advantages;
  const rows = examples
    .slice(0, GROUPS)
    .map(({ unit, before, after }) => [unit, numberText(before), numberText(after)]);
  if (rows.length === 0) return [];
  const more = groups_moved - rows.length;
  return [
    ...tableLines(['group', 'advantage was', 'is'], rows, paint),
    ...(more === 0 ? [] : [`and ${counted(more, 'more group')}`]),
  ];
}

function attemptLines({ diff }: ReplayReport, paint: Paint): string[] {
  const { examples, changed, vanished, appeared } = diff;
  const rows = examples.slice(0, ATTEMPTS).map((one) => {
    const { rollout, reason, disposition, reward, advantage } = changeWords(one);
    return [rollout, reason, disposition, reward, advantage];
  });
  if (rows.length === 0) return [];
  const more = changed + vanished + appeared - rows.length;
  return [
    ...tableLines(['rollout', 'reason', 'disposition', 'reward', 'advantage'], rows, paint),
    ...(more === 0 ? [] : [`and ${counted(more, 'more attempt')}`]),
  ];
}

function refusedLines(refused: ReplayReport['refused'], paint: Paint): string[] {
  if (refused.length === 0) return [];
  const rows = refused.map(({ reason, detail, n, rollouts }) => {
    const names = rollouts.slice(0, NAMES).join(', ');
    return [reason, String(n), detail, n > NAMES ? `${names} …` : names];
  });
  return tableLines(['reason', 'rollouts', 'why', 'such as'], rows, paint);
}

function tableLines(head: readonly string[], rows: readonly string[][], paint: Paint): string[] {
  return drawTable(head, rows, paint).trimEnd().split('\n');
}
