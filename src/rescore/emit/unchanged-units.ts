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

interface Asked {
  readonly replayId: string;
  /** What the replay is compared with, '' for the live decisions. */
  readonly against: string;
  readonly topic: string;
  readonly units: readonly string[];
}

/**
 * Units of which a trainer would learn the same as from what the topic has of them: the newest replay that was emitted there, else
 * what the replay is compared with. 1 live 0, emitted again as 1; 2 a replay that finds 0 differs in nothing from the live rows, and
 * must be emitted all the same: the queue has 1.
 */
export async function readUnchangedUnits(
  store: Pick<Store, 'query'>,
  { replayId, against, topic, units }: Asked,
): Promise<Set<string>> {
  if (units.length === 0) return new Set();
  const emitted = await store.query<{ id: string; units: readonly string[] }>(
    `SELECT id, groupArray(unit) AS units FROM (
       SELECT unit, argMax(toString(replay_id), (at, replay_id)) AS id
       FROM rollstream.replay_emitted FINAL
       WHERE topic = {topic:String} AND replay_id != {replay:String} AND unit IN {units:Array(String)}
       GROUP BY unit)
     GROUP BY id`,
    { topic, replay: replayId, units },
  );
  const elsewhere = new Set(emitted.flatMap((one) => one.units));
  const compared = [...emitted, { id: against, units: units.filter((unit) => !elsewhere.has(unit)) }];
  const unchanged = new Set<string>();
  for (const { id, units: of } of compared)
    for (const unit of await readEqualUnits(store, replayId, id, of)) unchanged.add(unit);
  return unchanged;
}

async function readEqualUnits(
  store: Pick<Store, 'query'>,
  replayId: string,
  other: string,
  units: readonly string[],
): Promise<string[]> {
  if (units.length === 0) return [];
  const compared = other === '' ? 'live_trajectories' : 'trajectories';
  // A row that was written twice is the same twice.
  const learnt = (table: string, id: string): string =>
    `SELECT unit, arraySort(groupUniqArray(${LEARNT})) AS learnt
     FROM rollstream.${table}
     WHERE replay_id = ${id} AND unit IN {units:Array(String)} AND ${IS_KEPT} AND ${keysOf('{replay:String}, {other:String}')}
     GROUP BY unit`;
  const rows = await store.query<{ unit: string }>(
    `SELECT a.unit AS unit
     FROM (${learnt('trajectories', '{replay:String}')}) AS a
     INNER JOIN (${learnt(compared, '{other:String}')}) AS b ON b.unit = a.unit
     WHERE a.learnt = b.learnt`,
    { replay: replayId, other, units },
  );
  return rows.map(({ unit }) => unit);
}
