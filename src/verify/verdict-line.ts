import { RollstreamError } from '../errors.ts';
import { isJsonObject, parsedJson } from '../export/parsed-json.ts';
import { isWhole } from '../server/request-value.ts';
import { isStatus, reportOf, rewardsOf } from './answer-of.ts';
import type { VerifierAnswer } from './verifier.ts';

/** A verdict as a line of a file says it; whom it is about is looked up. */
export interface VerdictLine {
  readonly line: number;
  /** null: any. */
  readonly run_id: string | null;
  readonly epoch: number | null;
  readonly rollout_id: string;
  /** null: the last one. */
  readonly attempt: number | null;
  readonly scorer: string;
  readonly scorer_version: string;
  readonly bound_to: number | null;
  readonly answer: VerifierAnswer;
}

const FIELDS = [
  ...[
    'run_id',
    'epoch',
    'rollout_id',
    'attempt',
    'scorer',
    'scorer_version',
    'status',
    'reward',
    'rewards',
    'bound_to',
  ],
  'report',
];
const MOST_INT = 2 ** 31 - 1;
const MOST_NAME = 200;

/** null: a blank line. RS_INPUT_REFUSED says where, which field, and what is expected. */
export function verdictLine(text: string, name: string, line: number): VerdictLine | null {
  if (text.trim() === '') return null;
  const value = parsedJson(text);
  const refuse = (field: string, expected: string): RollstreamError => refusedLine(name, line, field, expected);
  if (!isJsonObject(value)) throw refuse('', 'a JSON object is needed; NaN and Infinity are no JSON');
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw refuse(unknown.slice(0, MOST_NAME), `not known; ${FIELDS.join(', ')} are`);
  const textAt = (field: string, least: number): string => {
    const given = value[field];
    if (typeof given === 'string' && given.length >= least && (least === 0 || given.isWellFormed())) return given;
    throw refuse(field, least === 0 ? 'text is needed, empty where it is unknown' : 'text is needed');
  };
  const wholeAt = (field: string): number | null => {
    const given = value[field] ?? null;
    if (given === null || isWhole(given, 0, MOST_INT)) return given;
    throw refuse(field, 'a whole number from 0 on is needed');
  };
  const status = value.status ?? 'scored';
  if (!isStatus(status)) throw refuse('status', 'a status of a verdict is needed: scored, not_run, timeout, crash …');
  const rewards = rewardsOf(value);
  if (typeof rewards === 'string') throw refuse(rewards.split(':', 1)[0] ?? '', rewards.replace(/^[^:]*: /, ''));
  const given = Object.values(rewards);
  if (status === 'scored' && given.length === 0) throw refuse('reward', 'needed, since it is scored');
  if (status !== 'scored' && given.some((reward) => reward !== null))
    throw refuse('status', `${status} has no reward, and one is given`);
  return {
    line,
    run_id: (value.run_id ?? null) === null ? null : textAt('run_id', 1),
    epoch: wholeAt('epoch'),
    rollout_id: textAt('rollout_id', 1),
    attempt: wholeAt('attempt'),
    scorer: textAt('scorer', 1),
    scorer_version: textAt('scorer_version', 0),
    bound_to: wholeAt('bound_to'),
    answer: {
      ...{ status, rewards: status === 'scored' ? rewards : {}, report: reportOf(value.report) },
      ...{ cost: null, durationMs: 0 },
    },
  };
}

export function refusedLine(name: string, line: number, field: string, expected: string): RollstreamError {
  const what = field === '' ? expected : `${field}: ${expected}`;
  return new RollstreamError('RS_INPUT_REFUSED', `${name}:${line}: ${what}`, { facts: { file: name, line, field } });
}
