import type { ReplayedUnit, UnitHistory } from '../model/replay.ts';

type Refused = Extract<ReplayedUnit, { kind: 'refused' }>;

/** Why a unit is not replayed, before anything of it is folded; null: it is. */
export function refusalOfUnit({ open, decided, records, newVerdicts }: UnitHistory): Refused | null {
  if (open.length > 0) return refused('open', 'attempts of it are not decided yet', open);
  const lost = decided.filter(({ reason_code, disposition }) => reason_code === 'lost' && disposition === 'drop');
  if (lost.length > 0) return recordsLost(lost.map(({ rollout_id }) => rollout_id));
  if (records.length === 0) return recordsLost(decided.map(({ rollout_id }) => rollout_id));
  const said = newVerdicts.filter(({ verdict }) => verdict.status === 'refused');
  const [first] = said;
  if (first === undefined) return null;
  const why = first.verdict.report_json ?? 'it did not say why';
  return refused(
    'verifier_refused',
    `${first.verdict.scorer} cannot judge ${first.rolloutId}: ${why}`,
    said.map(({ rolloutId }) => rolloutId),
  );
}

export function recordsLost(rollouts: readonly string[]): Refused {
  return refused('records_lost', 'records of it are gone', rollouts);
}

function refused(reason: string, detail: string, rollouts: readonly string[]): Refused {
  return { kind: 'refused', reason, detail, rollouts: [...new Set(rollouts)] };
}
