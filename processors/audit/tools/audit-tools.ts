import type { Attempt } from '../../model/attempt.ts';
import { type AuditAnswer, answerOf, notAuditable } from '../../model/audit-summary.ts';
import type { Scored } from '../../model/judgement.ts';
import type { ToolsWatch } from '../../model/tools-watch.ts';
import { addFound, type FoundList, foundIn } from './found-list.ts';
import { isEnvironments } from './note-error-text.ts';
import { endTurn } from './turn/end-turn.ts';
import { lackOf } from './turn/lack-of.ts';

/** The calls that ran are the calls that the model wrote. A call that it wrote and nobody can see is not_auditable. */
export function auditTools(attempt: Attempt, scored: Scored): AuditAnswer {
  const watch = attempt.watch?.tools ?? null;
  if (watch === null || attempt.calls === 0) return notAuditable('no model call');
  const list = copyOf(watch);
  const { turn } = watch;
  const isCut = /token|length|context|abort/.test(scored.code);
  if (turn !== null) endTurn(turn, { isLast: true, isCut }, list);
  addErrors(watch, list);
  addUnanswered(attempt, watch, list);
  const answer = answerOf(foundIn(list));
  if (answer.result === 'fail') return answer;
  const missing = missingOf(watch);
  return missing === null ? answer : { ...notAuditable(missing), findings: answer.findings };
}

/** It is asked again when another verdict comes: nothing may be added to the notes themselves. */
function copyOf({ findings, more }: ToolsWatch): FoundList {
  const copied = more === null ? null : { byClass: new Map(more.byClass), fails: more.fails };
  return { findings: [...findings], more: copied };
}

function missingOf({ unproved, turn }: ToolsWatch): string | null {
  const last = turn === null ? null : lackOf(turn);
  const lacks = unproved?.lacks ?? last;
  if (lacks === null) return null;
  const turns = (unproved?.turns ?? 0) + (last === null ? 0 : 1);
  return `${lacks} (model call ${unproved?.turn ?? turn?.turn}${turns > 1 ? ` and ${turns - 1} more` : ''})`;
}

function addErrors({ observations, results }: ToolsWatch, list: FoundList): void {
  for (const error of observations ?? []) {
    if (!isEnvironments(error, results)) continue;
    const what = error.isSandbox ? 'are errors of the sandbox' : 'are the same error, whatever was asked';
    addFound(list, { class: 'environment_error', severity: 'warn', turn: error.turn, index: null }, () => ({
      detail: `${error.results} of ${results} tool results ${what}`,
      evidence: { text: error.text },
    }));
  }
}

function addUnanswered({ openCalls }: Attempt, { partly, turn }: ToolsWatch, list: FoundList): void {
  const hasAnswers = (number: number) => partly.includes(number) || (turn?.turn === number && turn.results > 0);
  for (const open of openCalls) {
    const slash = open.indexOf('/');
    const number = Number(open.slice(0, slash));
    const callId = open.slice(slash + 1, slash + 101);
    addFound(list, { class: 'unanswered_call', severity: 'warn', turn: number, index: null }, () => ({
      detail: `${callId}: no result came for it`,
    }));
    if (!hasAnswers(number)) continue;
    addFound(list, { class: 'call_not_executed', severity: 'warn', turn: number, index: null }, () => ({
      detail: `${callId}: was not executed, though others of its turn were`,
    }));
  }
}
