import type { Store } from '../../clickhouse/port.ts';
import { IS_KEPT, keysOf } from './kept-columns.ts';

/**
 * All that a trainer may do otherwise for: which attempts are kept, how, with which rewards, advantage and loss tokens. Why, category
 * and names of documents are not among it. Masks are told apart by how many tokens each segment has in the loss: versions are masked
 * from the oldest on, so that of two masks of one attempt the one holds the other. What travels by reference is told by its hash.
 */
const LEARNT = `hex(sipHash128(toString((
    hex(rollout_id), attempt, disposition, in_loss, in_baseline, reward, reward_valid, advantage, group_size_actual,
    toString(reward_components), toString(turns.reward), segment_loss_tokens,
    if(empty(segments.segment_id), segments_sha256, '')
  ))))`;

/** Units that a trainer would learn the same from as from what the replay is compared with, '' for the live decisions. */
export async function readUnchangedUnits(
  store: Pick<Store, 'query'>,
  {
    replayId,
    against,
    units,
  }: { readonly replayId: string; readonly against: string; readonly units: readonly string[] },
): Promise<Set<string>> {
  if (units.length === 0) return new Set();
  const compared = against === '' ? 'live_trajectories' : 'trajectories';
  // A row that was written twice is the same twice.
  const learnt = (table: string, id: string): string =>
    `SELECT unit, arraySort(groupUniqArray(${LEARNT})) AS learnt
     FROM rollstream.${table}
     WHERE replay_id = ${id} AND unit IN {units:Array(String)} AND ${IS_KEPT} AND ${keysOf('{replay:String}, {against:String}')}
     GROUP BY unit`;
  const rows = await store.query<{ unit: string }>(
    `SELECT a.unit AS unit
     FROM (${learnt('trajectories', '{replay:String}')}) AS a
     INNER JOIN (${learnt(compared, '{against:String}')}) AS b ON b.unit = a.unit
     WHERE a.learnt = b.learnt`,
    { replay: replayId, against, units },
  );
  return new Set(rows.map(({ unit }) => unit));
}
