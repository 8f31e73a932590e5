import { isKept } from '../../../processors/model/is-kept.ts';
import type { Store } from '../../clickhouse/port.ts';

/** An attempt that a replay keeps: it goes to the trainer with its unit. */
export interface KeptMember {
  readonly rollout: string;
  /** Its bytes, hex. */
  readonly rolloutHex: string;
  readonly attempt: number;
  readonly policyId: string;
  readonly env: string;
  /** Oldest and newest weights that sampled it; '': unknown. Empty: nothing was sampled. */
  readonly versions: readonly string[];
}

interface Row {
  readonly unit: string;
  readonly rollout: string;
  readonly rollout_hex: string;
  readonly attempt: number;
  readonly disposition: string;
  readonly policy_id: string;
  readonly env_name: string;
  readonly is_sampled: boolean;
  readonly weights_version_min: string | null;
  readonly weights_version_max: string | null;
}

/** By unit; one of which nothing is kept is not in it. */
export async function readMembers(
  store: Pick<Store, 'query'>,
  replayId: string,
  units: readonly string[],
): Promise<Map<string, KeptMember[]>> {
  const rows = await store.query<Row>(
    `SELECT unit, rollout_id AS rollout, hex(rollout_id) AS rollout_hex, attempt, disposition, policy_id, env_name,
       n_sampled_tokens > 0 AS is_sampled, weights_version_min, weights_version_max
     FROM rollstream.decisions FINAL
     WHERE replay_id = {replay:String} AND unit IN {units:Array(String)}
     ORDER BY unit, rollout_id, attempt`,
    { replay: replayId, units },
  );
  const kept = new Map<string, KeptMember[]>();
  for (const row of rows) {
    if (!isKept(row.disposition)) continue;
    const { rollout, rollout_hex, attempt, policy_id, env_name, weights_version_min, weights_version_max } = row;
    // As delivery takes what travels by reference (src/delivery/ready/sampled-versions.ts).
    const versions = row.is_sampled ? [...new Set([weights_version_min ?? '', weights_version_max ?? ''])] : [];
    const member = { rollout, rolloutHex: rollout_hex, attempt, policyId: policy_id, env: env_name, versions };
    const known = kept.get(row.unit);
    if (known === undefined) kept.set(row.unit, [member]);
    else known.push(member);
  }
  return kept;
}
