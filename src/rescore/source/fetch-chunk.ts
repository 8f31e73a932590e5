import type { BulkReader } from '../../clickhouse/port.ts';
import type { ReplayChunk, ReplayPlan } from '../replay-source.ts';
import { bytesLiteral } from './bytes-literal.ts';
import { readOwnedBounds } from './owned-bounds.ts';
import { createEventRows } from './read-event.ts';
import { auditedRows, decidedRows, findingRows, lateVerdictRows, newVerdictRows } from './row-kinds.ts';
import { ofPartition, ofRollouts, ofUnits, type PartitionScope, scopedUnits } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** A chunk as the store gave it: each buffer has memory of its own, so that all may be handed to another thread. */
export interface RawChunk {
  readonly partition: number;
  readonly withTokens: boolean;
  readonly late: StoreScope['late'];
  /** Rows as RowBinary; events in order of unit and offset. Empty where they are not wanted. */
  readonly events: Uint8Array<ArrayBuffer>;
  readonly lateVerdicts: Uint8Array<ArrayBuffer>;
  /** What it is compared with. */
  readonly decided: Uint8Array<ArrayBuffer>;
  /** Live decisions, where that is another replay; empty: `decided` are these. */
  readonly live: Uint8Array<ArrayBuffer>;
  readonly audited: Uint8Array<ArrayBuffer>;
  readonly findings: Uint8Array<ArrayBuffer>;
  readonly newVerdicts: Uint8Array<ArrayBuffer>;
}

export interface ChunkReading {
  readonly topic: string;
  readonly scope: StoreScope;
  readonly withTokens: boolean;
}

const NOTHING = new Uint8Array(0);

/** Reads a chunk: the half of a replay that waits for the store. */
export async function fetchChunk(
  reader: BulkReader,
  { topic, scope, withTokens }: ChunkReading,
  { ends }: Pick<ReplayPlan, 'ends'>,
  chunk: ReplayChunk,
): Promise<RawChunk> {
  const { partition } = chunk;
  const bounds = (await readOwnedBounds(reader, topic))(partition);
  const of: PartitionScope = { topic, partition, bounds, end: ends[partition] ?? 0 };
  const units = ofUnits(chunk);
  const rollouts = ofRollouts(chunk);
  const scoped = scopedUnits(of, scope, { steps: rollouts, decisions: units });
  const all = (...conditions: string[]): string => [...conditions, ...scoped].join(' AND ');
  const byCause = ofPartition(of, 'cause');
  const byOffset = ofPartition(of, 'offset');
  const read = async (sql: string): Promise<Uint8Array<ArrayBuffer>> => ownMemory(await reader.read(sql));

  const events = await read(selectEvents(withTokens, all(byCause, rollouts), all(byCause, units)));
  const selectDecided = (replayId: string): string =>
    `SELECT ${decidedRows.select.join(', ')} FROM rollstream.decisions
     WHERE ${replayId === '' ? byOffset : ofReplay(of)} AND replay_id = ${bytesLiteral(replayId)} AND ${all(units)}
     ORDER BY unit, rollout_id, attempt, version DESC`;
  const decided = await read(selectDecided(scope.against));
  const live = scope.against === '' ? NOTHING : await read(selectDecided(''));
  const lateVerdicts =
    scope.late === 'ignore'
      ? NOTHING
      : await read(
          `SELECT ${lateVerdictRows.select.join(', ')} FROM rollstream.verdicts
           WHERE ${all(byCause, rollouts)} AND late ORDER BY unit, offset DESC, version DESC`,
        );
  const [audited, findings] = scope.audits
    ? [NOTHING, NOTHING]
    : [
        await read(
          `SELECT ${auditedRows.select.join(', ')} FROM rollstream.trajectories
           WHERE ${all(byOffset, rollouts)} AND replay_id = '' ORDER BY unit, rollout_id, attempt, version DESC`,
        ),
        await read(
          `SELECT ${findingRows(withTokens).select.join(', ')} FROM rollstream.audits
           WHERE ${all(byOffset, units)} AND replay_id = ''${withTokens ? '' : " AND class != ''"}
           ORDER BY unit, rollout_id, attempt, audit, class, turn, index, version DESC`,
        ),
      ];
  const newVerdicts = scope.withVerdicts
    ? await read(
        `SELECT ${newVerdictRows.select.join(', ')} FROM rollstream.replay_verdicts FINAL
         WHERE replay_id = ${bytesLiteral(scope.replayId)} AND ${units}
         ORDER BY unit, rollout_id, attempt, turn, scorer`,
      )
    : NOTHING;
  return {
    ...{ partition, withTokens, late: scope.late, events, lateVerdicts, decided, live, audited, findings, newVerdicts },
  };
}

/** What was accepted and what was refused, as the lane read it. A refused record may be of a rollout that was never accepted. */
function selectEvents(withTokens: boolean, accepted: string, refused: string): string {
  const { select } = createEventRows({ withTokens });
  const named = select.map((expression, index) => `${expression} AS c${index}`).join(', ');
  return `SELECT accepted, ${select.map((_, index) => `c${index}`).join(', ')} FROM (
      SELECT true AS accepted, ${named}, unit AS u, offset AS o, version AS v FROM rollstream.steps WHERE ${accepted}
      UNION ALL
      SELECT false AS accepted, ${named}, unit AS u, offset AS o, version AS v FROM rollstream.step_faults WHERE ${refused})
    ORDER BY u, o, v DESC`;
}

/** Rows of a replay are of no term: it was over when it was named. */
function ofReplay({ topic, partition, end }: PartitionScope): string {
  return `topic = ${bytesLiteral(topic)} AND partition = ${partition} AND offset < ${end}`;
}

/** A small answer stands in memory that others share. */
function ownMemory(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength)
    return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}
