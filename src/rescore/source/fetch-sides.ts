import type { BulkReader } from '../../clickhouse/port.ts';
import { bytesLiteral } from './bytes-literal.ts';
import { auditedRows, decidedRows, findingRows, newVerdictRows } from './row-kinds.ts';
import { ofPartition, type PartitionScope } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** What the store holds of units beside their events, as RowBinary. Empty where it is not wanted. */
export interface RawSides {
  readonly withTokens: boolean;
  readonly late: StoreScope['late'];
  /** What they are compared with. */
  readonly decided: Uint8Array<ArrayBuffer>;
  /** Live decisions, where that is another replay; empty: `decided` are these. */
  readonly live: Uint8Array<ArrayBuffer>;
  readonly audited: Uint8Array<ArrayBuffer>;
  readonly findings: Uint8Array<ArrayBuffer>;
  readonly newVerdicts: Uint8Array<ArrayBuffer>;
}

/** Conditions on which units are asked for: by tables that are ordered by unit, and by those ordered by rollout. */
export interface AskedUnits {
  readonly byUnit: string;
  readonly byRollout: string;
}

export const NO_ROWS = new Uint8Array(0);

export async function fetchSides(
  reader: BulkReader,
  of: PartitionScope,
  { scope, withTokens }: { readonly scope: StoreScope; readonly withTokens: boolean },
  { byUnit, byRollout }: AskedUnits,
): Promise<RawSides> {
  const { topic, partition, end } = of;
  const byOffset = ofPartition(of, 'offset');
  // Rows of a replay are of no term: it was over when it was named.
  const ofReplay = `topic = ${bytesLiteral(topic)} AND partition = ${partition} AND offset < ${end}`;
  const read = async (sql: string): Promise<Uint8Array<ArrayBuffer>> => ownMemory(await reader.read(sql));
  const readDecided = (replayId: string) =>
    read(
      `SELECT ${decidedRows.select.join(', ')} FROM rollstream.decisions
       WHERE ${replayId === '' ? byOffset : ofReplay} AND replay_id = ${bytesLiteral(replayId)} AND ${byUnit}
       ORDER BY unit, rollout_id, attempt, version DESC`,
    );
  const decided = await readDecided(scope.against);
  const live = scope.against === '' ? NO_ROWS : await readDecided('');
  const audited = scope.audits
    ? NO_ROWS
    : await read(
        `SELECT ${auditedRows().select.join(', ')} FROM rollstream.trajectories
         WHERE ${byOffset} AND replay_id = '' AND ${byRollout} ORDER BY unit, rollout_id, attempt, version DESC`,
      );
  const findings = scope.audits
    ? NO_ROWS
    : await read(
        `SELECT ${findingRows(withTokens).select.join(', ')} FROM rollstream.audits
         WHERE ${byOffset} AND replay_id = '' AND ${byUnit}${withTokens ? '' : " AND class != ''"}
         ORDER BY unit, rollout_id, attempt, audit, class, turn, index, version DESC`,
      );
  const newVerdicts = scope.withVerdicts
    ? await read(
        `SELECT ${newVerdictRows.select.join(', ')} FROM rollstream.replay_verdicts FINAL
         WHERE replay_id = ${bytesLiteral(scope.replayId)} AND ${byUnit}
         ORDER BY unit, rollout_id, attempt, turn, scorer`,
      )
    : NO_ROWS;
  return { withTokens, late: scope.late, decided, live, audited, findings, newVerdicts };
}

/** A small answer stands in memory that others share. */
export function ownMemory(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength)
    return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}
