import { isKept } from '../../processors/model/is-kept.ts';
import type { DecisionJson, ExplainedAttempt, GroupMember, VerdictJson } from '../access/explanation.ts';
import { codeWords } from './code-words.ts';

/** Why the loop ended, as a clause with its code: `the sandbox crashed (env_crash)`. */
export function loopClause({ reason_code: code, reason_raw: raw, conflicts }: DecisionJson): string {
  if (code === 'unknown')
    return raw === null || raw === ''
      ? 'nothing says why it ended (unknown)'
      : `it ended with ${JSON.stringify(raw)}, of which the taxonomy does not know what it means (unknown)`;
  if (code === 'termination_conflict') return `${conflicts[0] ?? codeWords(code)} (${code})`;
  return `${codeWords(code)} (${code})`;
}

/** What became of its score: `the verifier judge ran out of time (verifier_timeout)`. */
export function verifierClause(code: string, verdicts: readonly VerdictJson[], invalid: readonly string[]): string {
  const counting = verdicts.filter(({ standing }) => standing === 'counts');
  const failed = counting.find(({ status }) => status !== 'scored' && status !== 'not_run');
  const name = (failed ?? counting[0])?.scorer;
  const who = name === undefined ? 'the verifier' : `the verifier ${name}`;
  switch (code) {
    case 'verifier_timeout':
      return `${who} ran out of time (${code})`;
    case 'verifier_error':
      return `${who} failed${failed === undefined ? '' : `, status ${failed.status}`} (${code})`;
    case 'reward_missing':
      if (counting.length === 0) return `no verdict came (${code})`;
      if (invalid.length > 0) return `its score is incomplete: ${invalid.join(', ')} (${code})`;
      return `${who} ${counting.every(({ status }) => status === 'not_run') ? 'did not run' : 'gave no score'} (${code})`;
    default:
      return `${codeWords(code)} (${code})`;
  }
}

/** The reward with what made it: `reward 0.4 by file-check`. */
export function rewardClause({
  decision,
  reward_parts: parts,
}: Pick<ExplainedAttempt, 'decision' | 'reward_parts'>): string {
  if (decision === null || decision.reward === null) return 'no reward';
  // A clip or scale that changed nothing is told in the list of parts alone.
  const [only, ...others] = parts.filter(({ name, value }) => value !== 0 || (name !== 'clip' && name !== 'scale'));
  const reward = `reward ${shortNumber(decision.reward)}`;
  if (only === undefined) return reward;
  if (others.length > 0) return `${reward}, the sum of ${others.length + 1} parts`;
  if (only.name === 'unscored') return `${reward}, as the policy says where no verifier ran`;
  return /^verifier /.test(only.from) ? `${reward} by ${only.from.replace(/:.*$/, '')}` : reward;
}

/** Members that a group of known size can count, as it was decided. */
export function validMembers(members: readonly GroupMember[]): number {
  return members.filter(({ disposition, reward_valid, why }) => wasKept(disposition, why) && reward_valid).length;
}

function wasKept(disposition: string | null, why: readonly string[]): boolean {
  if (disposition !== null && isKept(disposition)) return true;
  return /^(?:group_too_small|zero_variance|group_fault|stale|weights_unknown)$/.test(why[0] ?? '');
}

/** Few digits for a person; all of them are in the JSON. */
export function shortNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const text = value.toPrecision(4);
  return text.includes('e') ? text : text.replace(/\.?0+$/, '');
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
