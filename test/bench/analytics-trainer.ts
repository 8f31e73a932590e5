import { insertSql, SHAPE } from './analytics-insert.ts';
import { random } from './analytics-shape.ts';

const KEY = { run_id: 'run_id', epoch: 'epoch', unit: 'unit', rollout_id: 'rollout_id', attempt: 'a' };
const milli = (us: string): string => `fromUnixTimestamp64Milli(intDiv(${us}, 1000), 'UTC')`;

/**
 * What a trainer did with what was ready: steps of whole groups in order, what of it was stale or refused, how far its logprobs were.
 * Of the last two steps nothing was taken.
 */
export function trainerStatements(seed: number, steps: number): string[] {
  const u = random(seed, 'r, a', 80);
  // Its step waits for the last of its groups, unless that is one in a hundred.
  const taken = `(
    SELECT
      *, ${u} AS u,
      multiIf(u < 0.008, 'expired', u < 0.012, 'trainer_rejected', u < 0.013, 'undeliverable', 'trained') AS state,
      toInt64(quantileExact(0.99)(decided_us) OVER (PARTITION BY step)) AS step_us,
      greatest(step_us, decided_us) + 500000 + toInt64(8000000 * ${random(seed, 'step', 81)}) AS granted_us,
      granted_us + 20000000 + toInt64(40000000 * ${random(seed, 'step', 82)}) AS acked_us
    FROM ${SHAPE} WHERE NOT is_open AND NOT is_dead AND is_ready)`;
  const isTaken = `step < ${steps - 2}`;
  const offset = 'toInt64(r * 4 + a)';
  return [
    insertSql(
      'deliveries',
      {
        ...{ ...KEY, ready_offset: offset, state: 'state', lease_id: `concat('lease-', toString(step))`, lineage: '0' },
        ...{ step: `if(state = 'trained', toInt64(step), NULL)`, consumer: `'trainer-0'`, deliveries: '1' },
        reason: `transform(state, ['expired', 'trainer_rejected', 'undeliverable'], ['stale', 'nan_loss', 'too_many_deliveries'], '')`,
        weights_version: `if(state = 'trained', concat('step-', toString(step)), '')`,
        lag: `if(state = 'trained' AND isNotNull(lag), toInt32(lag) + toInt32(r % 2), NULL)`,
        ...{ tokens: 'toUInt64(tokens)', ready_at: milli('decided_us'), taken_at: milli('granted_us') },
        ...{ ended_at: milli('acked_us'), waited_ms: WAITED, at: milli('acked_us'), version: 'toUInt64(step + 1)' },
      },
      `${taken} WHERE ${isTaken}`,
    ),
    insertSql(
      'released',
      { ...KEY, held_offset: offset, at: `fromUnixTimestamp64Micro(decided_us + 60000000, 'UTC')` },
      `${SHAPE} WHERE NOT is_open AND NOT is_dead AND is_ready AND step % 50 = 7`,
    ),
    insertSql(
      'train_match',
      {
        ...{
          ...KEY,
          lineage: `'0'`,
          step: 'toInt64(step)',
          kl: `if(u > 0.98, NULL, 0.0005 + 0.004 * u * u)`,
          max_logprob_diff: '0.05 + 0.9 * u',
        },
        ...{
          clipped_share: '0.02 * u',
          at: `fromUnixTimestamp64Micro(acked_us, 'UTC')`,
          version: 'toUInt64(step + 1)',
        },
      },
      `${taken} WHERE ${isTaken} AND state = 'trained' AND r % 4 = 0`,
    ),
  ];
}

const WAITED = 'toInt64(cityHash64(step) % 9000)';

/** Grants, from the deliveries that they hold. */
export function leaseStatement(run: string): string {
  return insertSql(
    'delivery_leases',
    {
      ...{
        run_id: 'any(run_id)',
        lease_id: 'lease_id',
        lineage: '0',
        consumer: `'trainer-0'`,
        key_name: `'step'`,
        key_index: 'max(version)',
        key_try: '0',
      },
      ...{
        dp: '0',
        unit: `'group'`,
        trajectories: 'count()',
        tokens: 'sum(tokens)',
        waited_ms: 'any(waited_ms)',
        granted_at: 'min(taken_at)',
      },
      ...{
        deadline: 'max(ended_at) + INTERVAL 10 MINUTE',
        ended_at: 'min(ended_at)',
        ended_how: `'trained'`,
        step: 'max(step)',
        version: 'max(version)',
      },
    },
    `rollstream.deliveries WHERE run_id = '${run}' GROUP BY lease_id`,
  );
}
