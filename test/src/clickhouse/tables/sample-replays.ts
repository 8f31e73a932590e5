import type { ReplayChunkRow } from '../../../../src/clickhouse/tables/replay-chunks.ts';
import type { ReplayEmittedRow } from '../../../../src/clickhouse/tables/replay-emitted.ts';
import type { ReplayVerdictRow } from '../../../../src/clickhouse/tables/replay-verdicts.ts';
import type { ReplayRow } from '../../../../src/clickhouse/tables/replays.ts';
import type { VerifierResultRow } from '../../../../src/clickhouse/tables/verifier-results.ts';

const AT = 1_700_000_000_000;

/** A replay that was saved and is done, 2 s after it began. */
export function sampleReplay(replay_id: string, init: Partial<ReplayRow> = {}): ReplayRow {
  return {
    ...{ replay_id, label: '', state: 'done', request_json: '{}', policy_id: '', taxonomy_id: '', against: '' },
    ...{ saved: true, emit_topic: '', chunks: 1, chunks_done: 1, units: 2, units_done: 2, attempts: 3, changed: 1 },
    ...{ refused: 0, emitted: 0, report_json: '{}', error: '', startedAtMs: AT, endedAtMs: AT + 2_000 },
    ...{ atMs: AT + 2_000, version: BigInt(AT) << 8n },
    ...init,
  };
}

export function sampleReplayChunk(replay_id: string, init: Partial<ReplayChunkRow> = {}): ReplayChunkRow {
  return {
    ...{ replay_id, chunk: 0, partition: 0, end: 100, from_unit: 'run/0/r/a', to_unit: 'run/0/r/z' },
    ...{ from_rollout: 'a', to_rollout: 'z', units: 2, events: 9, state: 'done', tally_json: '{}', refused_json: '[]' },
    ...{ atMs: AT, version: 1n },
    ...init,
  };
}

export function sampleReplayVerdict(replay_id: string, init: Partial<ReplayVerdictRow> = {}): ReplayVerdictRow {
  return {
    ...{ replay_id, run_id: 'run-1', epoch: 0, unit: 'run-1/0/r/r', rollout_id: 'r', attempt: 0, turn: -1 },
    ...{ scorer: 's', scorer_version: '2', status: 'scored', rewards: { reward: 1 }, report: null, atMs: AT },
    ...{ version: 1n },
    ...init,
  };
}

export function sampleReplayEmitted(replay_id: string, init: Partial<ReplayEmittedRow> = {}): ReplayEmittedRow {
  return {
    ...{ replay_id, run_id: 'run-1', epoch: 0, unit: 'run-1/0/r/r', rollout_id: 'r', attempt: 0 },
    ...{ topic: 'trajectories.ready', position: 0, atMs: AT, version: 1n },
    ...init,
  };
}

export function sampleVerifierResult(content_hash: string, init: Partial<VerifierResultRow> = {}): VerifierResultRow {
  return {
    ...{ scorer: 's', scorer_version: '2', content_hash, status: 'scored', rewards: { reward: 1 }, report: null },
    ...{ cost: null, duration_ms: 12.5, atMs: AT, version: 1n },
    ...init,
  };
}
