import type { ExplainedAttempt, JsonRow, VerdictJson } from '../access/explanation.ts';
import { codeWords, findingWords } from '../explain/code-words.ts';
import { decisionLines, type Line } from './decision-lines.ts';

/** The facts of an attempt, then what was decided from them: a name and a value a line. */
export function attemptLines(attempt: ExplainedAttempt): Line[] {
  return [
    ...loopLines(attempt),
    ...engineLines(attempt),
    ...verdictLines(attempt),
    ...contradictionLines(attempt),
    ...findingLines(attempt),
    ...errorLines(attempt),
    ...decisionLines(attempt),
    ...auditLines(attempt),
    ...sizeLines(attempt),
    ...faultLines(attempt.step_faults),
  ];
}

/** Why the loop ended, what the engine said last, what a verifier said: the three facts stay three. */
function loopLines({ decision, trajectory }: ExplainedAttempt): Line[] {
  if (decision === null) return [];
  const reasons = trajectory?.reasons ?? [];
  if (decision.disposition === 'superseded') return [['loop ended', 'not before a newer attempt started']];
  if (reasons.length === 0) return [['loop ended', decision.reason_raw ?? 'nothing says why']];
  return reasons.map(({ code, category, raw, system, detail, attribution, after_end }) => {
    const whose = attribution === null ? '' : `; ${WHOSE[attribution] ?? attribution}`;
    const after = after_end ? '; after the loop had ended, so it decides nothing' : '';
    const said = raw === '' ? `${system} gave no reason` : `${system} said ${JSON.stringify(raw)}`;
    return [
      'loop ended',
      `${said} → ${code} (${category}): ${codeWords(code)}${whose}${after}${detail === null || detail === '' ? '' : `\n${detail}`}`,
    ];
  });
}

const WHOSE: Readonly<Record<string, string>> = {
  policy: "the policy's own doing",
  env: "the environment's doing",
  unknown: 'the events do not say whose doing',
};

function engineLines({ decision }: ExplainedAttempt): Line[] {
  if (decision === null) return [];
  const { finish_reason: finish, n_turns: calls } = decision;
  if (calls === 0) return [['engine', 'no model call']];
  return [
    ['engine', finish === null ? 'no finish reason for the last call' : `finish_reason of the last call: ${finish}`],
  ];
}

function verdictLines({ decision, verdicts }: ExplainedAttempt): Line[] {
  if (verdicts.length === 0) return decision === null ? [] : [['verifier', 'none has spoken']];
  return verdicts.map((verdict) => ['verifier', verdictText(verdict)]);
}

function verdictText({ scorer, scorer_version: version, status, rewards, bound_to, standing }: VerdictJson): string {
  const said = Object.entries(rewards).map(([name, value]) => `${name} = ${value ?? 'null'}`);
  const about = bound_to === null ? '' : ` about turn ${bound_to}`;
  const list = said.length === 0 ? '' : `: ${said.join(', ')}`;
  return `${scorer}${version === '' ? '' : ` ${version}`}${about} ${STATUS[status] ?? status}${list}${STANDING[standing]}`;
}

const STATUS: Readonly<Record<string, string>> = {
  scored: 'scored',
  not_run: 'did not run, by design (not_run)',
  timeout: 'ran out of time (timeout)',
  crash: 'crashed (crash)',
  missing: 'gave no score (missing)',
  parse_error: 'could not read the answer (parse_error)',
  refused: 'refused (refused)',
};

const STANDING: Readonly<Record<VerdictJson['standing'], string>> = {
  counts: '',
  superseded: '; does not count: a higher version of it has answered too',
  late: '; too late: it had been decided, and this is kept for replay',
};

function contradictionLines({ decision }: ExplainedAttempt): Line[] {
  return (decision?.conflicts ?? []).map((conflict) => ['contradiction', conflict]);
}

function findingLines({ audits }: ExplainedAttempt): Line[] {
  return audits.flatMap((row): Line[] => {
    const name = typeof row.class === 'string' ? row.class : '';
    if (name === '') return [];
    const turn = typeof row.turn === 'number' && row.turn >= 0 ? `, turn ${row.turn}` : '';
    const detail = typeof row.detail === 'string' && row.detail !== '' ? `: ${row.detail}` : '';
    return [['audit found', `${name}${turn}: ${findingWords(name)}${detail}`]];
  });
}

/** The last error is what somebody has to mend. */
function errorLines({ decision, steps }: ExplainedAttempt): Line[] {
  if (decision?.in_loss === true) return [];
  const failed = steps.findLast((step) => step.has_error === true);
  if (failed === undefined) return [];
  const what = [failed.error_type, failed.error_message].filter((part) => typeof part === 'string' && part !== '');
  const where = [failed.kind, failed.tool_name].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return [
    [
      'last error',
      `${what.join(': ') || 'of unknown kind'} (${where}${Number(failed.seq) < 0 ? '' : `, seq ${failed.seq}`})`,
    ],
  ];
}

function auditLines({ trajectory }: ExplainedAttempt): Line[] {
  if (trajectory === null) return [];
  const results = Object.entries(trajectory.audit);
  const looked = results.filter(([, result]) => result !== 'not_auditable');
  if (looked.length === 0) return [['audits', 'none has looked (not_auditable)']];
  return [['audits', results.map(([audit, result]) => `${audit} ${result}`).join(', ')]];
}

function sizeLines({ decision }: ExplainedAttempt): Line[] {
  if (decision === null) return [];
  const { n_turns: turns, n_tokens: tokens, n_sampled_tokens: sampled } = decision;
  return [['size', `${turns} model ${turns === 1 ? 'call' : 'calls'}, ${tokens} tokens, ${sampled} of them sampled`]];
}

/** A file that was imported again leaves one a record: they are counted, not listed. */
function faultLines(faults: readonly JsonRow[]): Line[] {
  const kinds = new Map<string, string[]>();
  for (const row of faults) {
    const detail = typeof row.reason_detail === 'string' ? row.reason_detail : '';
    const reason = `${String(row.reason)}${detail === '' ? '' : ` (${detail})`}`;
    kinds.set(reason, [...(kinds.get(reason) ?? []), String(row.kind ?? 'event')]);
  }
  return [...kinds].map(([reason, list]) => [
    'not taken in',
    `${list.length === 1 ? `one ${list[0]}` : `${list.length} events`}: ${reason}`,
  ]);
}
