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
  return refused(
    'verifier_refused',
    `${first.verdict.scorer} cannot judge ${first.rolloutId}: ${wordsOf(first.verdict.report_json)}`,
    said.map(({ rolloutId }) => rolloutId),
  );
}

/** A report is JSON: a text in it is shown without its quotes, anything else as it is. */
function wordsOf(reportJson: string | null): string {
  const said = reportJson === null ? '' : textOf(reportJson);
  return said.trim() === '' ? 'it did not say why' : said;
}

function textOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

export function recordsLost(rollouts: readonly string[]): Refused {
  return refused('records_lost', 'records of it are gone', rollouts);
}

function refused(reason: string, detail: string, rollouts: readonly string[]): Refused {
  return { kind: 'refused', reason, detail, rollouts: [...new Set(rollouts)] };
}
