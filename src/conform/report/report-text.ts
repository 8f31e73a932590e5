import type { Paint } from '../../cli/paint.ts';
import { drawTable, visible } from '../../cli/table.ts';
import type { ConformReport } from './conform-report.ts';
import type { CaseReport } from './judge-case.ts';
import type { Evidence, Judgement, Verdict } from './verdict.ts';

const COLOURS = { faithful: 'green', laundered: 'red', not_observable: 'yellow' } as const;
const WORDS: Readonly<Record<Verdict, string>> = {
  faithful: 'faithful',
  laundered: 'laundered',
  not_observable: 'not observable',
};
const SIDES: Readonly<Record<Evidence['of'], string>> = {
  engine: 'engine sent',
  next_prompt: 'next prompt',
  record: 'record',
};

/** Of a class, with both sides. */
const SHOWN = 2;
const CELL_CHARACTERS = 90;
const MOST_NAMED = 4;

/** The report for a person at a terminal: a line a task, then what was laundered with both sides. */
export function reportText(report: ConformReport, paint: Paint): string {
  const { cases } = report;
  const rows = cases.map((one) => [
    one.scenario,
    String(one.task),
    WORDS[one.verdict],
    shortened(foremost(one)?.detail ?? 'nothing that it is about came up'),
    besidesText(one),
  ]);
  const parts = [
    cases.length === 0
      ? ''
      : coloured(drawTable(['scenario', 'task', 'verdict', 'what was seen', 'besides'], rows, paint), paint),
    ...launderedLines(cases, paint),
    `${summary(report)}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The judgement that made the verdict. */
export function foremost({ judgements, verdict }: CaseReport): Judgement | null {
  return judgements.find((one) => one.verdict === verdict) ?? null;
}

function shortened(detail: string): string {
  return detail.length <= CELL_CHARACTERS ? detail : `${detail.slice(0, CELL_CHARACTERS)}…`;
}

function besidesText({ besides }: CaseReport): string {
  return [...new Set(besides.map(({ check, class: as }) => `${check}: ${as}`))].join(', ');
}

/** Verdicts are coloured where they are drawn: a coloured cell would be escaped like any other data. */
function coloured(table: string, paint: Paint): string {
  return table
    .split('\n')
    .map((line) =>
      line.replace(
        / (faithful|laundered|not observable)(?= )/,
        (_, word: string) => ` ${paint(COLOURS[wordKey(word)], word)}`,
      ),
    )
    .join('\n');
}

function wordKey(word: string): Verdict {
  return word === 'laundered' || word === 'faithful' ? word : 'not_observable';
}

/** A few of each class with both sides; `--json` has all. */
function launderedLines(cases: readonly CaseReport[], paint: Paint): string[] {
  const byClass = new Map<string, string[]>();
  for (const one of cases)
    for (const judgement of [...one.judgements, ...one.besides]) {
      if (judgement.verdict !== 'laundered') continue;
      const key = `${judgement.check} ${judgement.class}`;
      const place = paint('bold', visible(`${one.scenario}#${one.task}`));
      const head = `${paint('red', 'laundered')}  ${place}  ${judgementText(judgement)}`;
      const text = `${[head, ...judgement.evidence.map((evidence) => `  ${evidenceText(evidence)}`)].join('\n')}\n`;
      byClass.set(key, [...(byClass.get(key) ?? []), text]);
    }
  return [...byClass].flatMap(([key, texts]) => {
    const more = texts.length - SHOWN;
    return [...texts.slice(0, SHOWN), ...(more > 0 ? [paint('dim', `and ${more} more of ${key}\n`)] : [])];
  });
}

/** Without its evidence. */
export function judgementText({ check, class: as, turn, detail }: Judgement): string {
  return visible(`${check}${as === null ? '' : ` ${as}`}${turn === null ? '' : `, turn ${turn}`}: ${detail}`);
}

export function evidenceText({ of, call, index, ids, text }: Evidence): string {
  const place = call === null ? '' : ` (call ${call})`;
  const tokens = ids === null ? '' : ` [${ids.join(' ')}]${index === null ? '' : ` at ${index}`}`;
  return `${SIDES[of]}${place}:${tokens}${text === null ? '' : ` ${visible(JSON.stringify(text))}`}`;
}

function summary({
  cases,
  verdicts,
  notAsked,
  calls,
  unplayed,
  unmarked,
  unpaired,
  nothingAsked,
}: ConformReport): string {
  const { faithful, not_observable } = verdicts;
  const lines = [`${faithful} faithful, ${verdicts.laundered} laundered, ${not_observable} not observable`];
  if (nothingAsked !== null) lines.unshift(nothingAsked);
  const others = cases.filter(({ verdict, besides }) => verdict !== 'laundered' && besides.length > 0);
  if (others.length > 0) lines.push(besidesLine(others));
  if (notAsked.length > 0) lines.push(`not asked: ${notAsked.join(', ')}`);
  if (unplayed.length > 0) {
    const ways = unplayed.map(({ scenario, ways }) => `${scenario} with ${ways.join(', ')}`);
    lines.push(`not played, since calls are written as ${calls}: ${ways.join(', ')}`);
  }
  if (unmarked > 0) lines.push(`${unmarked} calls without a marker`);
  if (unpaired > 0) lines.push(`${unpaired} rollouts of the record belong to no task of the log`);
  return visible(lines.join('; '));
}

/** Rollouts that do well what their scenario is about, and launder something else. */
function besidesLine(others: readonly CaseReport[]): string {
  const names = others.slice(0, MOST_NAMED).map(({ scenario, task }) => `${scenario}#${task}`);
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : '';
  return `in ${others.length} not called laundered, something else than what the scenario is about was laundered: ${names.join(', ')}${more}`;
}
