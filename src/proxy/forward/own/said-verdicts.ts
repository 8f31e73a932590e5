import type { Verdict } from '../../../../clients/typescript/recorded.ts';
import { VERDICT_FIELDS } from '../../../ingest/http/verdict-request.ts';
import type { NamedBy } from '../../journal/call-head.ts';
import type { NamedAttempt, SaidVerdict } from '../../record/port.ts';
import { checkedId, refused } from '../naming/checked-id.ts';
import { arrayAt, countAt, numberAt, objectOf, onlyFields, textAt } from './body-fields.ts';

const STATUSES = ['scored', 'not_run', 'timeout', 'crash', 'missing', 'parse_error', 'refused'] as const;

export interface Said {
  readonly attempt: NamedAttempt;
  readonly verdict: SaidVerdict;
}

/** One verdict, an array of them, or `{"verdicts": […]}`, as POST /v1/verdicts of a rollstream server takes them. */
export function verdictsIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const value = objectOf(body, 'body');
  return value.verdicts === undefined ? [value] : arrayAt(value, 'verdicts');
}

/** `named`: what header or path said, for what the verdict itself leaves out. */
export function saidVerdict(one: unknown, named: NamedBy): Said {
  const value = objectOf(one, 'verdict');
  onlyFields(value, VERDICT_FIELDS);
  const idAt = (field: string): string | null => {
    const id = value[field];
    const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : textAt(value, field);
    return text === null ? null : checkedId(text, field);
  };
  const rollout = idAt('rollout_id') ?? named.rollout;
  if (rollout === null) throw refused('rollout_id', 'which rollout is it about?');
  const scorer = textAt(value, 'scorer');
  if (scorer === null || scorer === '') throw refused('scorer', 'the name of a verifier is needed');
  const status = statusOf(textAt(value, 'status'));
  const rewards = rewardsOf(value);
  if (status === 'scored' && rewards === null)
    throw refused('reward', 'a number or null is needed, since it is scored');
  if (status !== 'scored' && Object.values(rewards ?? {}).some((reward) => reward !== null)) {
    throw refused('status', 'scored is needed, since there is a reward');
  }
  return {
    attempt: {
      ...named,
      ...{ run: idAt('run_id') ?? named.run, rollout, attempt: countAt(value, 'attempt') ?? named.attempt },
      ...{ group: idAt('group_id') ?? named.group, epoch: countAt(value, 'epoch') ?? named.epoch },
    },
    verdict: {
      ...{ scorer, scorerVersion: textAt(value, 'scorer_version') ?? '', status, rewards: rewards ?? {} },
      ...{ boundTo: countAt(value, 'bound_to'), eventId: idAt('event_id') },
      ...(value.report === undefined ? {} : { report: value.report }),
    },
  };
}

function statusOf(text: string | null): NonNullable<Verdict['status']> {
  const status = STATUSES.find((known) => known === (text ?? 'scored'));
  if (status === undefined) throw refused('status', `one of ${STATUSES.join(', ')} is needed`);
  return status;
}

/** null: none is given. */
function rewardsOf(value: Readonly<Record<string, unknown>>): Record<string, number | null> | null {
  if (value.reward !== undefined && value.rewards !== undefined) {
    throw refused('rewards', 'nothing is needed, since reward is given');
  }
  if (value.reward !== undefined) return { reward: numberAt(value, 'reward') };
  if (value.rewards === undefined || value.rewards === null) return null;
  const given = objectOf(value.rewards, 'rewards');
  return Object.fromEntries(Object.keys(given).map((name) => [name, numberAt(given, name)]));
}
