import { bytesOfText, textOfBytes } from '../../../processors/model/text-bytes.ts';
import type { Store } from '../../clickhouse/port.ts';

export interface RolloutKey {
  readonly run_id: string;
  readonly epoch: number;
  readonly rollout_id: string;
}

/** An attempt that has started. */
export interface StartedAttempt {
  readonly group_id: string | null;
  readonly attempt: number;
  readonly env_name: string;
  readonly task_id: string;
}

/** The attempts that have started of each rollout, lowest first, by `rolloutName`. */
export type FindRollouts = (keys: readonly RolloutKey[]) => Promise<ReadonlyMap<string, readonly StartedAttempt[]>>;

interface Row {
  readonly run: string;
  readonly epoch: number;
  readonly rollout: string;
  readonly group_name: string;
  readonly has_group: number;
  readonly attempt: number;
  readonly env: string;
  readonly task: string;
}

/** Ids travel as hex: text of a statement cannot hold a lone surrogate, and an id may. */
const SQL = `SELECT hex(run_id) AS run, epoch, hex(rollout_id) AS rollout, hex(ifNull(group_id, '')) AS group_name,
  isNotNull(group_id) AS has_group, attempt, hex(env_name) AS env, hex(task_id) AS task
FROM rollstream.live_attempts
WHERE run_id IN (SELECT unhex(arrayJoin({runs:Array(String)}))) AND (run_id, epoch, rollout_id) IN (
  SELECT unhex(tupleElement(k, 1)), tupleElement(k, 2), unhex(tupleElement(k, 3))
  FROM (SELECT arrayJoin(arrayZip({runs:Array(String)}, {epochs:Array(Int32)}, {rollouts:Array(String)})) AS k)
)
ORDER BY attempt`;

export function createFindRollouts(store: Pick<Store, 'query'>): FindRollouts {
  return async function findRollouts(keys) {
    const rows = await store.query<Row>(SQL, {
      runs: keys.map(({ run_id }) => hexOf(run_id)),
      epochs: keys.map(({ epoch }) => epoch),
      rollouts: keys.map(({ rollout_id }) => hexOf(rollout_id)),
    });
    const found = new Map<string, StartedAttempt[]>();
    for (const { run, epoch, rollout, group_name, has_group, attempt, env, task } of rows) {
      const name = `${run}/${epoch}/${rollout}`;
      const group_id = Number(has_group) === 1 ? textOfHex(group_name) : null;
      const started = { group_id, attempt, env_name: textOfHex(env), task_id: textOfHex(task) };
      found.set(name, [...(found.get(name) ?? []), started]);
    }
    return found;
  };
}

export function rolloutName({ run_id, epoch, rollout_id }: RolloutKey): string {
  return `${hexOf(run_id)}/${epoch}/${hexOf(rollout_id)}`;
}

function hexOf(text: string): string {
  return bytesOfText(text).toString('hex').toUpperCase();
}

function textOfHex(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  return textOfBytes(bytes) ?? bytes.toString();
}
