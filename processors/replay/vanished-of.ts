import { attemptKey } from '../model/attempt.ts';
import type { Rows } from '../model/effects.ts';
import type { UnitHistory, Vanished } from '../model/replay.ts';

/** Attempts that were decided before and are not now: `vanished` by a refusal, `unseen` since their start is not among the records. */
export function vanishedOf(
  { decided, records }: Pick<UnitHistory, 'decided' | 'records'>,
  rows: Pick<Rows, 'decisions' | 'step_faults'>,
): { readonly vanished: readonly Vanished[]; readonly unseen: readonly string[] } {
  const vanished: Vanished[] = [];
  const unseen: string[] = [];
  const now = new Set(rows.decisions.map(({ rollout_id, attempt }) => attemptKey(rollout_id, attempt)));
  for (const { rollout_id: rolloutId, attempt } of decided) {
    if (now.has(attemptKey(rolloutId, attempt))) continue;
    const isOf = (event: { readonly rollout_id: string; readonly attempt: number }) =>
      event.rollout_id === rolloutId && event.attempt === attempt;
    const hasStart = records.some(({ event }) => event.kind === 'start' && isOf(event));
    const faults = rows.step_faults.filter(({ event }) => isOf(event));
    const fault = faults.find(({ event }) => event.kind === 'start') ?? faults[0];
    if (hasStart) vanished.push({ rolloutId, attempt, reason: fault?.reason ?? 'not_started' });
    else unseen.push(rolloutId);
  }
  return { vanished, unseen };
}
