import { AUDIT_NAMES } from '../../../processors/model/audit-summary.ts';
import type { Paint } from '../../cli/paint.ts';
import { drawTable, visible } from '../../cli/table.ts';
import type { AuditOutcome } from '../audit-outcome.ts';
import type { AuditTally, ClassTally, Example } from '../audit-tally.ts';
import { wordsOf } from '../class-words.ts';
import { evidenceRows } from './evidence-rows.ts';
import { counted, lookedAt, rateText, shareText } from './figures.ts';
import { endingLines, missingLines, policyLines, summaryLines, verdictLine } from './summary-lines.ts';

/** Rollouts of a class that are shown; the other reports show more. */
const SHOWN = 3;

/** The report for a person at a terminal. */
export function auditText(outcome: AuditOutcome, paint: Paint): string {
  const { tally, gate } = outcome;
  const parts = [
    `${summaryLines(outcome).map(visible).join('\n')}\n`,
    tally.trajectories === 0 ? '' : resultTable(tally, paint),
    tally.classes.length === 0 ? '' : `${paint('bold', 'What is wrong')}\n`,
    ...tally.classes.map((one) => classText(one, tally, paint)),
    section(`What policy ${outcome.policy.name} would make of it`, policyLines(outcome), paint),
    section('How they ended', endingLines(tally), paint),
    section('What could not be audited', missingLines(tally), paint),
    `${paint('bold', 'Gate')}: ${verdictPaint(gate.verdict, paint)(verdictLine(gate))}\n${gate.tripped
      .map((one) => {
        const side = one.bound === 'max' ? 'above' : 'below';
        return `  ${visible(one.run_id)}: ${one.limit} ${rateText(one)}; ${side} its limit of ${one.bound_at}, so ${one.becomes}\n`;
      })
      .join('')}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function resultTable({ audits }: AuditTally, paint: Paint): string {
  return drawTable(
    ['audit', 'pass', 'warn', 'fail', 'not auditable'],
    AUDIT_NAMES.map((audit) => {
      const { pass, warn, fail, not_auditable } = audits[audit];
      return [audit, String(pass), String(warn), String(fail), String(not_auditable)];
    }),
    paint,
  );
}

function classText(one: ClassTally, { trajectories, audits }: AuditTally, paint: Paint): string {
  const { audit, class: name, severity, findings, examples } = one;
  const words = wordsOf(audit, name);
  const looked = lookedAt(audits[audit].not_auditable, one.trajectories, trajectories);
  const colour = severity === 'fail' ? 'red' : 'yellow';
  const share = shareText(one.trajectories, looked);
  const lines = [
    `${paint(colour, severity)}  ${paint('bold', name)} (${audit})  ${share}, ${counted(findings, 'finding')}`,
  ];
  if (words !== null)
    lines.push(`      ${sentence(words.meaning)}`, `      ${paint('cyan', 'to do:')} ${words.remedy}`);
  for (const example of examples.slice(0, SHOWN)) lines.push(...exampleLines(example, paint));
  const more = one.trajectories - Math.min(SHOWN, examples.length);
  if (more > 0) lines.push(paint('dim', `      and ${counted(more, 'more rollout')}`));
  return `${lines.join('\n')}\n`;
}

function exampleLines({ rolloutId, attempt, file, line, finding, count }: Example, paint: Paint): string[] {
  const place = [
    `${visible(rolloutId)}${attempt > 0 ? ` attempt ${attempt}` : ''}`,
    `${visible(file)}${line === null ? '' : `:${line}`}`,
    ...(finding.turn === null ? [] : [`turn ${finding.turn}`]),
    ...(finding.index === null ? [] : [`at ${finding.index}`]),
    ...(count > 1 ? [`and ${count - 1} more there`] : []),
  ];
  const rows = evidenceRows(finding.evidence).map(
    ({ name, ids, text }) =>
      `        ${paint('dim', name.padEnd(9))}${[...(ids === null ? [] : [`[${ids.join(' ')}]`]), ...(text === null ? [] : [quoted(text)])].join('  ')}`,
  );
  return [`    - ${place.join(', ')}`, `        ${visible(finding.detail)}`, ...rows];
}

/** Control characters and half characters are written out, never obeyed. */
function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

function section(title: string, lines: readonly string[], paint: Paint): string {
  return lines.length === 0 ? '' : `${paint('bold', title)}\n${lines.map((line) => `  ${visible(line)}\n`).join('')}`;
}

function verdictPaint(verdict: string, paint: Paint): (text: string) => string {
  return (text) => paint(verdict === 'pass' ? 'green' : verdict === 'warn' ? 'yellow' : 'red', text);
}

function sentence(meaning: string): string {
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}
