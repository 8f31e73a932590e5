import type { Verdict } from '../../schemas/generated/step-event.ts';
import { bad, isObject, onlyFields, optional, textOf, wholeOf } from '../server/request-value.ts';
import { isStatus, rewardsOf } from '../verify/answer-of.ts';
import type { NewVerdictOf } from './new-verdicts.ts';

/** Of a request. */
export const MOST_VERDICTS = 10_000;

const MOST_NAME_CHARACTERS = 4_096;
const MOST_REPORT_CHARACTERS = 1_000_000;
const MOST_NUMBER = 2 ** 31 - 1;

/** Verdicts as NDJSON, or as JSON `{verdicts: [...]}`; RS_USAGE names the first that is wrong, from 0, and its field. */
export function readNewVerdicts(text: string, isLines: boolean): NewVerdictOf[] {
  const values = isLines ? linesOf(text) : listOf(text);
  if (values.length > MOST_VERDICTS) throw bad('verdicts', `verdicts: at most ${MOST_VERDICTS} at once`);
  return values.map((value, i) => {
    const within = `verdicts[${i}]`;
    if (!isObject(value)) throw bad(within, `${within}: an object is needed`);
    return verdictOf(value, within);
  });
}

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, i) => parsed(line, `verdicts[${i}]`));
}

function listOf(text: string): unknown[] {
  const body = parsed(text, 'verdicts');
  if (isObject(body) && Array.isArray(body.verdicts)) return body.verdicts;
  throw bad('verdicts', 'verdicts: a list is needed');
}

function parsed(text: string, within: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad(within, `${within}: not JSON`);
  }
}

function verdictOf(value: Record<string, unknown>, within: string): NewVerdictOf {
  onlyFields(value, ['run_id', 'epoch', 'unit', 'rollout_id', 'attempt', 'verdict'], `${within}.`);
  const { verdict } = value;
  if (!isObject(verdict)) throw bad(`${within}.verdict`, `${within}.verdict: an object is needed`);
  return placed(within, () => ({
    run_id: name(value, 'run_id'),
    epoch: wholeOf(value, 'epoch', 0, MOST_NUMBER),
    unit: name(value, 'unit'),
    rollout_id: name(value, 'rollout_id'),
    attempt: wholeOf(value, 'attempt', 0, MOST_NUMBER),
    verdict: placed('verdict', () => judgedOf(verdict)),
  }));
}

function judgedOf(value: Record<string, unknown>): Verdict {
  onlyFields(value, ['scorer', 'scorer_version', 'status', 'rewards', 'bound_to', 'report_json']);
  const { status } = value;
  if (!isStatus(status)) throw bad('status', 'status: a status of a verdict is needed');
  const rewards = rewardsOf({ rewards: value.rewards ?? {} });
  if (typeof rewards === 'string') throw bad('rewards', rewards);
  return {
    ...{ scorer: name(value, 'scorer'), scorer_version: textOf({ scorer_version: '', ...value }, 'scorer_version') },
    ...{ status, rewards: { ...rewards } },
    bound_to: optional(value, 'bound_to', (of, field) => wholeOf(of, field, 0, MOST_NUMBER)),
    report_json: optional(value, 'report_json', (of, field) => limited(of, field, MOST_REPORT_CHARACTERS)),
  };
}

/** What is said of a part is said of its place in the whole. */
function placed<T>(within: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || !('facts' in error)) throw error;
    const message = `${within}.${error.message}`;
    throw bad(message.slice(0, message.indexOf(':')), message);
  }
}

function name(value: Record<string, unknown>, field: string): string {
  const text = limited(value, field, MOST_NAME_CHARACTERS);
  if (text !== '') return text;
  throw bad(field, `${field}: a name is needed`);
}

function limited(value: Record<string, unknown>, field: string, most: number): string {
  const text = textOf(value, field);
  if (text.length <= most) return text;
  throw bad(field, `${field}: at most ${most} characters`);
}
