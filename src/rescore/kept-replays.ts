import type { Store } from '../clickhouse/port.ts';
import { encodeReplayChunks, type ReplayChunkRow } from '../clickhouse/tables/replay-chunks.ts';
import { encodeReplays, type ReplayRow } from '../clickhouse/tables/replays.ts';

/** Replays as the store holds them. */
export interface KeptReplays {
  /** null: none has this id. */
  find(replayId: string): Promise<ReplayRow | null>;
  /** Newest first, at most 1,000, without their reports. */
  list(): Promise<ReplayRow[]>;
  keep(row: Omit<ReplayRow, 'atMs' | 'version'>): Promise<void>;
  /** Of a replay, in order; what its plan refused is chunk -1. */
  chunks(replayId: string): Promise<KeptChunk[]>;
  keepChunks(rows: readonly KeptChunk[]): Promise<void>;
}

export type KeptChunk = Omit<ReplayChunkRow, 'atMs' | 'version'>;

const MOST_LISTED = 1_000;

const ROW = `replay_id, label, state, request_json, policy_id, taxonomy_id, against, saved, emit_topic, chunks, chunks_done, units,
  units_done, attempts, changed, refused, emitted, error, toUnixTimestamp64Milli(started_at) AS startedAtMs,
  toUnixTimestamp64Milli(ended_at) AS endedAtMs, toUnixTimestamp64Milli(at) AS atMs, toString(version) AS version`;

type StoredRow = Omit<ReplayRow, 'version'> & { readonly version: string };

/** `now` in ms since the epoch. Versions rise also where the clock goes back. */
export function createKeptReplays(store: Pick<Store, 'query' | 'insert'>, now: () => number): KeptReplays {
  let last = 0n;
  const nextVersion = (): bigint => {
    const byClock = BigInt(now()) << 8n;
    last = byClock > last ? byClock : last + 1n;
    return last;
  };
  const seen = ({ version, ...row }: StoredRow): ReplayRow => {
    const known = BigInt(version);
    if (known > last) last = known;
    return { ...row, version: known };
  };
  return {
    async find(replayId) {
      const rows = await store.query<StoredRow>(
        `SELECT ${ROW}, report_json FROM rollstream.replays FINAL WHERE replay_id = {id:String}`,
        { id: replayId },
      );
      const [row] = rows;
      return row === undefined ? null : seen(row);
    },
    async list() {
      const rows = await store.query<StoredRow>(
        `SELECT ${ROW}, '' AS report_json FROM rollstream.replays FINAL ORDER BY started_at DESC, replay_id LIMIT ${MOST_LISTED}`,
      );
      return rows.map(seen);
    },
    async keep(row) {
      await store.insert(encodeReplays([{ ...row, atMs: now(), version: nextVersion() }]));
    },
    async chunks(replayId) {
      return store.query<KeptChunk>(
        `SELECT replay_id, chunk, partition, end, from_unit, to_unit, from_rollout, to_rollout, units, events, state, tally_json, refused_json
        FROM rollstream.replay_chunks FINAL WHERE replay_id = {id:String} ORDER BY chunk`,
        { id: replayId },
      );
    },
    async keepChunks(rows) {
      if (rows.length === 0) return;
      const [atMs, version] = [now(), nextVersion()];
      await store.insert(encodeReplayChunks(rows.map((row) => ({ ...row, atMs, version }))));
    },
  };
}
