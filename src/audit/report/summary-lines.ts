import { AUDIT_NAMES } from '../../../processors/model/audit-summary.ts';
import type { AuditOutcome } from '../audit-outcome.ts';
import type { AuditTally } from '../audit-tally.ts';
import { counted, percent, shareText } from './figures.ts';

/** What was looked at, in sentences. */
export function summaryLines({ tally, counts, tokenizers, sample }: AuditOutcome): string[] {
  const formats = new Map<string, number>();
  for (const { format } of counts.files) if (format !== null) formats.set(format, (formats.get(format) ?? 0) + 1);
  const files = [...formats].map(([format, n]) => `${counted(n, 'file')} of ${format}`).join(', ');
  const lines = [
    `${counted(tally.trajectories, 'trajectory', 'trajectories')} of ${files === '' ? 'no file' : files}: ${counted(tally.modelCalls, 'model call')}, ${counted(tally.sampledTokens, 'sampled token')}`,
  ];
  if (sample !== null) {
    const all = tally.trajectories + counts.passedOver;
    lines.push(`a sample of ${tally.trajectories} of ${all} (seed ${sample.seed}): rates have 95 % intervals`);
  }
  if (counts.repeated > 0) lines.push(`${counted(counts.repeated, 'repeat')} of trajectories that stood there before`);
  const faults = Object.entries(counts.faults).map(([reason, n]) => `${n} ${reason}`);
  if (faults.length > 0) lines.push(`events that were not folded: ${faults.join(', ')}`);
  if (counts.refused > 0) lines.push(`${counted(counts.refused, 'record')} refused, as told above`);
  for (const { folder, sha256 } of tokenizers) lines.push(`tokenizer ${folder}, sha256 ${sha256}`);
  if (tokenizers.length === 1 && tally.withoutTokenizer > 0)
    lines.push(
      `${shareText(tally.withoutTokenizer, tally.trajectories)} do not say which tokenizer is theirs: this one is taken on your word`,
    );
  if (tokenizers.length === 0)
    lines.push('no tokenizer was given (--tokenizer DIR): template and re-encoding were not looked at');
  const { chunks, drifted, tokens } = tally.reencode;
  if (chunks > 0)
    lines.push(
      `re-encoded ${counted(chunks, 'sampled chunk')} of ${counted(tokens, 'token')}: ${drifted} give other tokens (${percent(drifted / chunks)})`,
    );
  const { prompts, rendered, equal } = tally.rerender;
  if (prompts > 0)
    lines.push(
      `re-rendered ${rendered} of ${counted(prompts, 'prompt')} from ${prompts === 1 ? 'its' : 'their'} messages: ${equal} equal`,
    );
  return lines;
}

/** How they ended, the most frequent first, with the first rollouts of what is no completion. */
export function endingLines({ endings, trajectories }: AuditTally): string[] {
  return [...endings]
    .sort(([, a], [, b]) => b.trajectories - a.trajectories)
    .map(([code, { category, trajectories: n, rollouts }]) => {
      const named = category === 'completion' ? '' : `: ${rollouts.slice(0, NAMED).join(', ')}`;
      return `${code} (${category}): ${shareText(n, trajectories)}${named}${named !== '' && n > NAMED ? ' …' : ''}`;
    });
}

const NAMED = 5;

/** By audit: what was missing, and how often. */
export function missingLines({ missing, trajectories, rerender }: AuditTally): string[] {
  const linesOf = (name: string, kinds: ReadonlyMap<string, number>, all: number) =>
    [...kinds]
      .sort(([, a], [, b]) => b - a)
      .map(([what, n]) => `${name}: ${what === '' ? 'other things' : what}: ${shareText(n, all)}`);
  return [
    ...AUDIT_NAMES.flatMap((audit) => linesOf(audit, missing[audit], trajectories)),
    ...linesOf('prompts that were not re-rendered', rerender.missing, rerender.prompts),
  ];
}

/** What the policy would make of what was found, in its order. */
export function policyLines({ policy, tally }: AuditOutcome): string[] {
  return policy.findings.map(
    ({ class: name, becomes, trajectories }) => `${becomes} by ${name}: ${shareText(trajectories, tally.trajectories)}`,
  );
}

export function verdictLine({ judged, verdict, tripped }: AuditOutcome['gate']): string {
  if (judged === 0) return 'no trajectory with a model call: there is nothing to judge';
  if (tripped.length === 0) return `${verdict}: no limit is crossed`;
  return `${verdict}: ${counted(tripped.length, 'limit is', 'limits are')} crossed`;
}
