import type { DocumentIds } from '../../../processors/model/control.ts';
import { NO_GATES } from '../../../processors/model/gate.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import { NO_WEIGHTS } from '../../../processors/model/weights.ts';
import type { LaneHistoryDeps } from '../../../processors/replay/create-lane-history.ts';
import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { createEventRows } from './read-event.ts';
import { ofPartition, type PartitionScope } from './scope-sql.ts';

/** Control events about a whole partition, from its first one on: what they put in force holds for all that comes after. */
export async function readControls(reader: BulkReader, of: PartitionScope): Promise<Decoded[]> {
  const rows = createEventRows({ withTokens: true });
  const bytes = await reader.read(
    `SELECT ${rows.select.join(', ')} FROM rollstream.steps
     PREWHERE kind = 'control' WHERE unit = '' AND ${ofPartition(of, 'cause')} ORDER BY offset, version DESC`,
  );
  const found = new RowBinaryReader(bytes);
  const controls: Decoded[] = [];
  while (!found.isAtEnd) {
    const record = rows.read(found);
    if (controls.at(-1)?.cause.offset !== record.cause.offset) controls.push(record);
  }
  return controls;
}

/** Where another policy or taxonomy began to decide than the decision before it had, from the first decision on. */
export async function readDeciders(
  reader: BulkReader,
  of: PartitionScope,
): Promise<Array<DocumentIds & { readonly offset: number; readonly atMs: number }>> {
  const bytes = await reader.read(
    `SELECT toInt64(o), toInt64(intDiv(toUnixTimestamp64Micro(at), 1000)), p, t FROM (
       SELECT offset AS o, decided_at AS at, toString(policy_id) AS p, toString(taxonomy_id) AS t,
         lagInFrame((p, t)) OVER (ORDER BY offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
       FROM rollstream.decisions WHERE ${ofPartition(of, 'offset')} AND replay_id = '')
     WHERE (p, t) != before ORDER BY o`,
  );
  const rows = new RowBinaryReader(bytes);
  const deciders: Array<DocumentIds & { offset: number; atMs: number }> = [];
  while (!rows.isAtEnd)
    deciders.push({ offset: rows.int64(), atMs: rows.int64(), policy_id: rows.string(), taxonomy_id: rows.string() });
  return deciders;
}

/**
 * Lane-wide values by offset. A lane begins with documents that no event names, so that its first decision tells them; nothing has
 * announced weights or closed a gate before.
 */
export async function readLaneHistory(
  reader: BulkReader,
  of: PartitionScope,
  override: Partial<DocumentIds>,
): Promise<LaneHistoryDeps> {
  const controls = await readControls(reader, of);
  const [first] = await readDeciders(reader, of);
  const policy = controls.find(({ event }) => event.control?.policy)?.event.control?.policy;
  const documents = first ?? policy ?? { policy_id: '', taxonomy_id: '' };
  const { policy_id, taxonomy_id } = documents;
  return { controls, initial: { policy_id, taxonomy_id, weights: NO_WEIGHTS, gates: NO_GATES }, override };
}
