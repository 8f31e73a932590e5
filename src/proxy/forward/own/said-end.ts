import type { NamedBy } from '../../journal/call-head.ts';
import type { NamedAttempt, SaidEnd } from '../../record/port.ts';
import { checkedId, refused } from '../naming/checked-id.ts';
import { arrayAt, countAt, numberAt, objectOf, onlyFields, textAt } from './body-fields.ts';

const FIELDS = ['reason', 'system', 'detail', 'reasons', 'final_response', 'env_reward', 'run_id', 'attempt'];

/** `{"reason", "system"?, "detail"?, "reasons"?, "final_response"?, "env_reward"?}`: why an attempt ended, in its loop's own words. */
export function saidEnd(body: unknown, rollout: string, named: NamedBy): { attempt: NamedAttempt; end: SaidEnd } {
  const value = objectOf(body, 'body');
  onlyFields(value, FIELDS);
  const first = textAt(value, 'reason');
  const further = arrayAt(value, 'reasons').map((one, at) => reasonOf(one, `reasons[${at}]`));
  const reasons =
    first === null
      ? further
      : [{ raw: first, system: textAt(value, 'system') ?? 'rollstream', detail: textAt(value, 'detail') }, ...further];
  if (reasons.length === 0) throw refused('reason', 'why did it end? A text is needed, as the loop names it');
  const run = textAt(value, 'run_id');
  return {
    attempt: {
      ...named,
      run: run === null ? named.run : checkedId(run, 'run_id'),
      rollout,
      attempt: countAt(value, 'attempt') ?? named.attempt,
    },
    end: { reasons, finalResponse: textAt(value, 'final_response'), envReward: numberAt(value, 'env_reward') },
  };
}

function reasonOf(value: unknown, field: string): SaidEnd['reasons'][number] {
  const reason = objectOf(value, field);
  const raw = textAt(reason, 'raw');
  if (raw === null) throw refused(`${field}.raw`, 'a text is needed');
  return { raw, system: textAt(reason, 'system') ?? 'rollstream', detail: textAt(reason, 'detail') };
}
