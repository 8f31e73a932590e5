import type { ChangedAttempt } from '../../../processors/replay/diff-tally.ts';
import { counted } from '../../audit/report/figures.ts';
import { type Html, html } from '../../audit/report/html-text.ts';
import { STYLE } from '../../audit/report/style.ts';
import type { ReplayReport } from '../replays.ts';
import { changeWords, numberText } from './change-words.ts';
import { matrixHtml } from './matrix.ts';
import { changeLines, emittedLines, headLines, nextLines } from './report-lines.ts';
import { REPLAY_STYLE } from './style.ts';

/** Attempts and names on the page; the JSON has more. */
const ATTEMPTS = 200;
const NAMES = 20;

/** Attempts that are shown without being asked for. */
const AT_ONCE = 20;

/** The report as one page that needs nothing else: no network, no script. */
export function reportHtml(report: ReplayReport): string {
  const { status, diff, refused } = report;
  const emitted = emittedLines(report);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>rollstream replay ${status.replay_id}</title><style>${{ markup: STYLE + REPLAY_STYLE }}</style></head><body><main>
<h1>Replay ${status.label === '' ? status.replay_id : status.label} <span class="badge ${badge(status.state)}">${status.state}</span></h1>
<ul class="summary">${headLines(report).map(item)}<li>${status.replay_id}, asked for at ${status.started_at}${status.saved ? '' : '; a dry run: nothing is kept but this report'}</li></ul>
<h2>What changed</h2>${shares(report)}<ul>${changeLines(report).map(item)}</ul>
<h2>Dispositions</h2>${matrixHtml(diff.dispositions)}
<h2>Rewards</h2>${matrixHtml(diff.rewards.matrix, diff.rewards.other)}
<h2>Categories</h2>${matrixHtml(diff.categories)}
<h2>Reasons</h2>${matrixHtml(diff.reasons)}
<h2>Groups whose advantages moved</h2>${groupTable(report)}
<h2>Not replayed</h2>${refusedTable(refused)}
<h2>Changed attempts</h2>${attemptTable(report)}
${emitted.length === 0 ? '' : html`<h2>Emitted</h2><ul>${emitted.map(item)}</ul>`}
<h2>Next</h2><ul>${nextLines(report).map(([what, command]) => html`<li>${what}: <code>${command}</code></li>`)}</ul>
</main></body></html>
`;
  return page.markup;
}

function item(line: string): Html {
  return html`<li>${line}</li>`;
}

function badge(state: ReplayReport['status']['state']): string {
  return state === 'done' ? 'pass' : state === 'failed' || state === 'cancelled' ? 'fail' : 'warn';
}

function shares({ diff }: ReplayReport): Html {
  const { attempts, same, changed, vanished, appeared } = diff;
  const all = Math.max(1, attempts + vanished + appeared);
  const kinds = Object.entries({ same, changed, vanished, appeared }).filter(([, n]) => n > 0);
  return html`<span class="stack">${kinds.map(([kind, n]) => html`<span class="${kind}" style="width:${((n / all) * 100).toFixed(3)}%"></span>`)}</span>
<p class="key">${kinds.map(([kind, n]) => html`<i class="${kind}"></i>${n.toLocaleString('en-US')} ${kind}`)}</p>`;
}

function groupTable({ diff }: ReplayReport): Html {
  const { examples, groups_moved } = diff.advantages;
  if (groups_moved === 0) return html`<p class="dim">None.</p>`;
  const rows = examples.map(
    ({ unit, before, after }) =>
      html`<tr><td>${unit}</td><td class="n">${numberText(before)}</td><td class="n">${numberText(after)}</td></tr>`,
  );
  const more = groups_moved - rows.length;
  return html`<table><thead><tr><th>group, the furthest first</th><th class="n">advantage was</th><th class="n">is</th></tr></thead><tbody>${rows}</tbody></table>${more > 0 ? html`<p class="dim">and ${counted(more, 'more group')}</p>` : ''}`;
}

function attemptTable({ diff }: ReplayReport): Html {
  const { examples, changed, vanished, appeared } = diff;
  if (examples.length === 0) return html`<p class="dim">None.</p>`;
  const shown = examples.slice(0, ATTEMPTS);
  const rest = shown.slice(AT_ONCE);
  const more = changed + vanished + appeared - shown.length;
  return html`${rowsOf(shown.slice(0, AT_ONCE))}${rest.length === 0 ? '' : html`<details><summary>${counted(rest.length, 'more attempt')}</summary>${rowsOf(rest)}</details>`}${more > 0 ? html`<p class="dim">and ${counted(more, 'more attempt')}</p>` : ''}`;
}

function rowsOf(attempts: readonly ChangedAttempt[]): Html {
  return html`<div class="wide"><table class="attempts"><thead><tr><th>rollout</th><th>unit</th><th>reason</th><th>disposition</th><th>reward</th><th>advantage</th></tr></thead><tbody>${attempts.map(attemptRow)}</tbody></table></div>`;
}

function attemptRow(one: ChangedAttempt): Html {
  const { rollout, reason, disposition, reward, advantage } = changeWords(one);
  const cell = (text: string) => html`<td${text.includes('→') ? html` class="moved"` : ''}>${text}</td>`;
  return html`<tr><th>${rollout}</th><td class="dim">${one.unit}</td>${[reason, disposition, reward, advantage].map(cell)}</tr>`;
}

function refusedTable(refused: ReplayReport['refused']): Html {
  if (refused.length === 0) return html`<p class="dim">Everything could be replayed.</p>`;
  const rows = refused.map(({ reason, detail, n, rollouts }) => {
    const more = n - Math.min(NAMES, rollouts.length);
    return html`<tr><th>${reason}</th><td class="n">${n}</td><td>${detail}</td><td>${rollouts.slice(0, NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}</td></tr>`;
  });
  return html`<table><thead><tr><th>reason</th><th class="n">rollouts</th><th>why</th><th>which</th></tr></thead><tbody>${rows}</tbody></table>`;
}
