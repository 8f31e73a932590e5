import type { VerdictStatus } from '../../schemas/generated/step-event.ts';
import { isJsonObject } from '../export/parsed-json.ts';
import { boundedText } from './bounded-text.ts';
import type { VerifierAnswer } from './verifier.ts';

/** An answer without the time that it took. */
export type Answer = Omit<VerifierAnswer, 'durationMs'>;

const STATUSES: readonly VerdictStatus[] = [
  ...(['scored', 'not_run', 'timeout', 'crash', 'missing', 'parse_error', 'refused'] as const),
];
const MOST_REWARDS = 100;
const MOST_NAME_CHARACTERS = 200;

/** What a verifier said as text; what is no answer is `parse_error` with the reason, never a reward. */
export function answerOfText(text: string): { readonly id: unknown; readonly answer: Answer } {
  const document = parsed(text);
  return 'problem' in document
    ? { id: undefined, answer: unreadable(`${document.problem}: ${boundedText(text.trim(), 200)}`) }
    : { id: document.value.id, answer: answerOf(document.value) };
}

export function fault(status: 'crash' | 'timeout' | 'parse_error', why: string): Answer {
  return { status, rewards: {}, report: boundedText(why), cost: null };
}

function unreadable(why: string): Answer {
  return fault('parse_error', why);
}

function parsed(text: string): { value: Readonly<Record<string, unknown>> } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return { problem: 'it answered with nothing' };
    const number = /(?<=[:[,]\s*)-?(?:NaN|Infinity|nan|inf)\b/.exec(text)?.[0];
    return {
      problem: number === undefined ? 'it answered with what is no JSON document' : `${number} is no number of JSON`,
    };
  }
  return isJsonObject(value) ? { value } : { problem: 'it answered with JSON that is no object' };
}

function answerOf(value: Readonly<Record<string, unknown>>): Answer {
  const report = reportOf(value.report);
  const { cost = null, refuse = null } = value;
  if (cost !== null && !isFiniteNumber(cost)) return unreadable('cost: a finite number or null is needed');
  if (refuse !== null) {
    if (typeof refuse !== 'string') return unreadable('refuse: text that says why is needed');
    return { status: 'refused', rewards: {}, report: boundedText(refuse), cost };
  }
  const status = value.status ?? 'scored';
  if (!isStatus(status)) return unreadable(`status: one of ${STATUSES.join(', ')} is needed`);
  const rewards = rewardsOf(value);
  if (typeof rewards === 'string') return unreadable(rewards);
  const values = Object.values(rewards);
  if (status !== 'scored') {
    if (values.some((reward) => reward !== null))
      return unreadable(`status: ${status} has no reward, and one is given`);
    return { status, rewards: {}, report, cost };
  }
  if (values.length === 0) return unreadable('reward: it is scored, and no reward is given');
  return { status, rewards, report, cost };
}

/** A text: what is wrong with them. */
export function rewardsOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, number | null>> | string {
  const { reward, rewards } = value;
  if (reward !== undefined && rewards !== undefined) return 'reward: rewards are given too, one of them is needed';
  if (reward !== undefined) return isReward(reward) ? { reward } : 'reward: a finite number or null is needed';
  if (rewards === undefined) return {};
  if (!isJsonObject(rewards)) return 'rewards: an object of names and numbers is needed';
  const entries = Object.entries(rewards);
  if (entries.length > MOST_REWARDS) return `rewards: at most ${MOST_REWARDS} are taken`;
  const named: [string, number | null][] = [];
  for (const [name, one] of entries) {
    if (name === '' || name.length > MOST_NAME_CHARACTERS || !name.isWellFormed())
      return `rewards: a name of 1 to ${MOST_NAME_CHARACTERS} characters is needed`;
    if (!isReward(one)) return `rewards.${name}: a finite number or null is needed`;
    named.push([name, one]);
  }
  return Object.fromEntries(named);
}

export function isStatus(value: unknown): value is VerdictStatus {
  return STATUSES.some((status) => status === value);
}

/** Text as it is, anything else as JSON; null: nothing was said. */
export function reportOf(report: unknown): string | null {
  if (report === undefined || report === null) return null;
  return boundedText(typeof report === 'string' ? report : JSON.stringify(report));
}

function isReward(value: unknown): value is number | null {
  return value === null || isFiniteNumber(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
