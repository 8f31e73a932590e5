import { AUDIT_NAMES, type AuditName } from '../../../processors/model/audit-summary.ts';
import type { AuditOutcome } from '../audit-outcome.ts';
import type { AuditTally, ClassTally, Example } from '../audit-tally.ts';
import { CLASS_WORDS, wordsOf } from '../class-words.ts';
import { evidenceRows, firstDifference } from './evidence-rows.ts';
import { counted, lookedAt, rateText, shareText } from './figures.ts';
import { type Html, html } from './html-text.ts';
import { STYLE } from './style.ts';
import { endingLines, missingLines, policyLines, summaryLines, verdictLine } from './summary-lines.ts';

/** The report as one page that needs nothing else: no network, no script. */
export function auditHtml(outcome: AuditOutcome): string {
  const { tally, gate } = outcome;
  const missing = missingLines(tally);
  const ruled = policyLines(outcome);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>rollstream audit</title><style>${{ markup: STYLE }}</style></head><body><main>
<h1>Rollout audit <span class="badge ${gate.verdict}">${gate.verdict}</span></h1>
<ul class="summary">${summaryLines(outcome).map((line) => html`<li>${line}</li>`)}</ul>
<h2>Audits</h2>${resultTable(tally)}
<h2>Gate: ${verdictLine(gate)}</h2>${rateTable(outcome)}
<h2>What is wrong</h2>
${tally.classes.length === 0 ? html`<p>Nothing was found.</p>` : tally.classes.map((one) => classSection(one, tally))}
<h2>What policy ${outcome.policy.name} would make of it</h2>
${ruled.length === 0 ? html`<p>It keeps nothing from training for what was found.</p>` : html`<ul>${ruled.map((line) => html`<li>${line}</li>`)}</ul>`}
<h2>How they ended</h2>
<ul>${endingLines(tally).map((line) => html`<li>${line}</li>`)}</ul>
<h2>What could not be audited</h2>
${missing.length === 0 ? html`<p>Everything could be looked at.</p>` : html`<ul>${missing.map((line) => html`<li>${line}</li>`)}</ul>`}
<h2>Files</h2>${fileTable(outcome)}
</main></body></html>
`;
  return page.markup;
}

const RESULTS = ['pass', 'warn', 'fail', 'not_auditable'] as const;

function resultTable({ audits, trajectories }: AuditTally): Html {
  const row = (audit: AuditName) => {
    const counts = audits[audit];
    return html`<tr><th>${audit}</th><td class="bar">${stack(RESULTS.map((result) => [result, counts[result] / Math.max(1, trajectories)]))}</td>${RESULTS.map((result) => html`<td class="n ${counts[result] > 0 ? result : 'zero'}">${counts[result]}</td>`)}</tr>`;
  };
  return html`<table><thead><tr><th>audit</th><th>of ${counted(trajectories, 'trajectory', 'trajectories')}</th><th>pass</th><th>warn</th><th>fail</th><th>not auditable</th></tr></thead><tbody>${AUDIT_NAMES.map(row)}</tbody></table>`;
}

function stack(parts: ReadonlyArray<readonly [string, number]>): Html {
  return html`<span class="stack">${parts
    .filter(([, share]) => share > 0)
    .map(([name, share]) => html`<span class="${name}" style="width:${(share * 100).toFixed(3)}%"></span>`)}</span>`;
}

function rateTable({ gate }: AuditOutcome): Html {
  const tripped = gate.tripped.map(
    (one) =>
      html`<tr><th class="fail">${one.limit}</th><td>${one.run_id}</td><td>${rateText(one)}</td><td>${one.bound === 'max' ? 'at most' : 'at least'} ${one.bound_at}, else ${one.becomes}</td></tr>`,
  );
  const rates = gate.rates.filter(
    ({ rate, hits, limit }) => rate !== null && ((hits ?? 0) > 0 || CLASS_WORDS[limit] === undefined),
  );
  const rows = rates.map(
    (one) =>
      html`<tr><th>${one.limit}</th><td class="bar">${stack([[one.limit === 'auditable_coverage' ? 'pass' : 'warn', one.rate ?? 0]])}</td><td>${rateText(one)}</td></tr>`,
  );
  return html`${tripped.length === 0 ? '' : html`<table><thead><tr><th>limit</th><th>run</th><th>rate</th><th>allowed</th></tr></thead><tbody>${tripped}</tbody></table>`}
<table><thead><tr><th>rate</th><th></th><th>of those that could be looked at</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function classSection(one: ClassTally, { trajectories, audits }: AuditTally): Html {
  const { audit, class: name, severity, findings, examples } = one;
  const words = wordsOf(audit, name);
  const looked = lookedAt(audits[audit].not_auditable, one.trajectories, trajectories);
  return html`<section><h3><span class="badge ${severity}">${severity}</span> ${name} <small>${audit}</small></h3>
<p>${words === null ? '' : html`${sentence(words.meaning)} <b>To do:</b> ${words.remedy} `}<span class="dim">${shareText(one.trajectories, looked)}, ${counted(findings, 'finding')}.</span></p>
${stack([[severity, one.trajectories / Math.max(1, looked)]])}
<details${severity === 'fail' ? html` open` : ''}><summary>${counted(examples.length, 'rollout')} of ${one.trajectories}</summary>${examples.map(exampleBlock)}</details></section>`;
}

function exampleBlock({ runId, rolloutId, attempt, file, line, finding, count }: Example): Html {
  const rows = evidenceRows(finding.evidence);
  const at = firstDifference(rows);
  const place = [
    `${runId} / ${rolloutId}${attempt > 0 ? ` attempt ${attempt}` : ''}`,
    `${file}${line === null ? '' : `:${line}`}`,
    ...(finding.turn === null ? [] : [`turn ${finding.turn}`]),
    ...(finding.index === null ? [] : [`at ${finding.index}`]),
    ...(count > 1 ? [`and ${count - 1} more there`] : []),
  ];
  return html`<div class="example"><p class="place">${place.join(' · ')}</p><p>${finding.detail}</p>${
    rows.length === 0
      ? ''
      : html`<table class="evidence">${rows.map(
          ({ name, ids, text }) =>
            html`<tr><th>${name}</th>${ids === null ? html`<td></td>` : html`<td class="ids">${ids.map((id, i) => html`<code${i === at ? html` class="differs"` : ''}>${id}</code> `)}</td>`}<td class="text">${text === null ? '' : html`<pre>${text}</pre>`}</td></tr>`,
        )}</table>`
  }</div>`;
}

function fileTable({ counts }: AuditOutcome): Html {
  const most = 200;
  const rows = counts.files
    .slice(0, most)
    .map(
      ({ path, format, why, lines, refused }) =>
        html`<tr><td>${path}</td><td>${format ?? 'not taken'}</td><td>${why}</td><td class="n">${lines}</td><td class="n ${refused > 0 ? 'fail' : 'zero'}">${refused}</td></tr>`,
    );
  const more = counts.files.length - rows.length;
  return html`<table><thead><tr><th>file</th><th>format</th><th>seen by</th><th>lines</th><th>refused</th></tr></thead><tbody>${rows}</tbody></table>${more > 0 ? html`<p>and ${counted(more, 'more file')}</p>` : ''}`;
}

function sentence(meaning: string): string {
  return `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}
