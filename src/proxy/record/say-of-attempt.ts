import { jsonOrNull } from '../../../clients/typescript/event-json.ts';
import type { Verdict } from '../../../clients/typescript/recorded.ts';
import type { AttemptIdentity } from '../../ingest/attempt-events.ts';
import { eventLine } from './events/event-line.ts';
import type { SaidEnd, SaidVerdict } from './port.ts';

/** Lines of what is said of an attempt beside its calls. */

export interface SaidWhere {
  readonly identity: AttemptIdentity;
  readonly producerId: string;
  readonly eventId: string;
  readonly atUs: number;
}

export function endLine(
  end: SaidEnd,
  where: SaidWhere & { readonly seq: number; readonly startedAtUs: number },
): string {
  const { identity, producerId, eventId, seq, atUs, startedAtUs } = where;
  const body = JSON.stringify({
    reasons: end.reasons.map(({ raw, system, detail = null }) => ({ raw, system, detail })),
    final_response: end.finalResponse ?? null,
    env_reward: end.envReward ?? null,
  });
  return eventLine(
    'end',
    body,
    {
      ...{ identity, producerId, eventId, seq },
      startedAtUs,
      endedAtUs: Math.max(atUs, startedAtUs),
      durationUs: null,
    },
    null,
  );
}

export function verdictLine(said: SaidVerdict, where: SaidWhere): string {
  const { identity, producerId, eventId, atUs } = where;
  const rewards = rewardsOf(said);
  const inexact = Object.entries(rewards).filter(([, reward]) => reward !== null && !Number.isFinite(reward));
  const body = JSON.stringify({
    scorer: said.scorer,
    scorer_version: said.scorerVersion ?? '',
    status: said.status ?? 'scored',
    // JSON makes null of NaN: it is missing, and what it was stands beside it.
    rewards,
    bound_to: said.boundTo ?? null,
    report_json: jsonOrNull(said.report),
  });
  const kept = Object.fromEntries(inexact.map(([name, reward]) => [name, String(reward)]));
  return eventLine(
    'verdict',
    body,
    { ...{ identity, producerId, eventId, seq: null }, startedAtUs: null, endedAtUs: atUs, durationUs: null },
    inexact.length === 0 ? null : { inexact_rewards: kept },
  );
}

function rewardsOf({ reward, rewards }: Verdict): Readonly<Record<string, number | null>> {
  return rewards ?? (reward === undefined ? {} : { reward });
}
