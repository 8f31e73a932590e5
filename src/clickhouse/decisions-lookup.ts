import type { Disposition } from '../../schemas/generated/decision.ts';
import type { Store } from './port.ts';

export interface UnitRef {
  readonly run_id: string;
  readonly unit: string;
}

/** What the table says of one attempt of a unit. Whether its term owned that offset, the caller judges by `terms`. */
export interface DecisionFound {
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly disposition: Disposition;
  readonly category: string;
  readonly reason_code: string;
  readonly why: readonly string[];
  readonly reward: number | null;
  readonly reward_valid: boolean;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
  readonly counts_for_size: boolean;
  readonly policy_id: string;
  readonly topic: string;
  readonly partition: number;
  readonly first_offset: number;
  readonly offset: number;
  readonly term: number;
}

const COLUMNS = `unit, rollout_id, attempt, disposition, category, reason_code, why, reward, reward_valid, in_loss, in_baseline,
  counts_for_size, policy_id, topic, partition, first_offset, offset, term`;

/** A ClickHouse server takes 128 KiB of one parameter (http_max_field_value_size); units are ASCII. */
const MAX_UNITS_LENGTH = 100_000;

/** Live decisions of the units, by unit; units without one are absent. One query for all that a parameter can name. */
export async function lookupDecisions(store: Store, refs: readonly UnitRef[]): Promise<Map<string, DecisionFound[]>> {
  const found = new Map<string, DecisionFound[]>();
  const runs = Array.from(new Set(refs.map(({ run_id }) => run_id)));
  // The run leads the table's key, so it makes the query fast. A run with a lone surrogate is not a parameter that survives
  // UTF-8, and naming it wrongly would find nothing: then the units alone decide.
  const byRun = runs.every((run) => run.isWellFormed()) ? 'run_id IN {runs:Array(String)} AND ' : '';
  for (const units of portionsOf(Array.from(new Set(refs.map(({ unit }) => unit))))) {
    const rows = await store.query<DecisionFound>(
      `SELECT ${COLUMNS} FROM rollstream.decisions FINAL
     WHERE ${byRun}unit IN {units:Array(String)} AND replay_id = ''
     ORDER BY unit, attempt, rollout_id`,
      { units, ...(byRun && { runs }) },
    );
    for (const row of rows) {
      const others = found.get(row.unit);
      if (others === undefined) found.set(row.unit, [row]);
      else others.push(row);
    }
  }
  return found;
}

function portionsOf(units: readonly string[]): string[][] {
  const portions: string[][] = [];
  let length = MAX_UNITS_LENGTH;
  for (const unit of units) {
    length += unit.length + 3;
    if (length > MAX_UNITS_LENGTH) {
      portions.push([]);
      length = unit.length + 3;
    }
    portions.at(-1)?.push(unit);
  }
  return portions;
}
