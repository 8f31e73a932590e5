import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeReplayChunks } from '../../../../src/clickhouse/tables/replay-chunks.ts';
import { encodeReplayEmitted } from '../../../../src/clickhouse/tables/replay-emitted.ts';
import { encodeReplayVerdicts } from '../../../../src/clickhouse/tables/replay-verdicts.ts';
import { encodeReplays } from '../../../../src/clickhouse/tables/replays.ts';
import { encodeVerifierResults } from '../../../../src/clickhouse/tables/verifier-results.ts';
import { type TemporaryStore, temporaryStore } from '../temporary-store.ts';
import {
  sampleReplay,
  sampleReplayChunk,
  sampleReplayEmitted,
  sampleReplayVerdict,
  sampleVerifierResult,
} from './sample-replays.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const rowsOf = (table: string) =>
  temporary.store.query<Record<string, unknown>>(
    `SELECT * REPLACE (toString(version) AS version) FROM rollstream.${table} FINAL ORDER BY ALL`,
  );

test('replays: every field comes back, the last word counts', async () => {
  const all = {
    ...{ label: 'ü', request_json: '{"a":1}', policy_id: 'p', taxonomy_id: 't', against: 'q', saved: false },
    ...{ emit_topic: 'out', chunks: 11, chunks_done: 12, units: 13, units_done: 14, attempts: 2 ** 40, changed: 16 },
    ...{ refused: 17, emitted: 18, report_json: '{"r":2}', error: '{"code":"x"}' },
  };
  const running = { ...all, state: 'running', endedAtMs: null, version: 2n ** 63n } as const;
  await temporary.store.insert(encodeReplays([sampleReplay('r', { ...all, version: 1n }), sampleReplay('r', running)]));
  expect(await rowsOf('replays')).toEqual([
    {
      ...{ replay_id: 'r', ...all, state: 'running', started_at: '2023-11-14 22:13:20.000', ended_at: null },
      ...{ at: '2023-11-14 22:13:22.000', version: '9223372036854775808' },
    },
  ]);
});

test('replay chunks: planned, then done', async () => {
  const planned = {
    chunk: -1,
    partition: 3,
    end: 2 ** 40,
    state: 'planned',
    tally_json: '',
    refused_json: '',
  } as const;
  const place = { from_unit: 'f', to_unit: 't', from_rollout: 'a', to_rollout: 'b', units: 5, events: 6 };
  const done = { ...planned, ...place, state: 'done', tally_json: '{"n":1}', refused_json: '[]', version: 2n } as const;
  await temporary.store.insert(encodeReplayChunks([sampleReplayChunk('r', { ...done })]));
  await temporary.store.insert(encodeReplayChunks([sampleReplayChunk('r', planned)]));
  expect(await rowsOf('replay_chunks')).toEqual([
    { replay_id: 'r', ...done, at: '2023-11-14 22:13:20.000', version: '2' },
  ]);
});

test('replay verdicts: null is not 0, a turn has its own, and the whole attempt is -1', async () => {
  const whole = { status: 'parse_error', rewards: { a: null, b: 0 }, report: 'no number' } as const;
  await temporary.store.insert(
    encodeReplayVerdicts([
      sampleReplayVerdict('r', whole),
      sampleReplayVerdict('r', { turn: 2, attempt: 1, epoch: 7 }),
    ]),
  );
  const common = { replay_id: 'r', run_id: 'run-1', unit: 'run-1/0/r/r', rollout_id: 'r', scorer: 's' };
  const last = { scorer_version: '2', at: '2023-11-14 22:13:20.000', version: '1' };
  expect(await rowsOf('replay_verdicts')).toEqual([
    { ...common, ...whole, ...last, epoch: 0, attempt: 0, turn: -1 },
    { ...common, ...last, epoch: 7, attempt: 1, turn: 2, status: 'scored', rewards: { reward: 1 }, report: null },
  ]);
});

test('what was emitted: one row for each trajectory of a replay, however often it is written', async () => {
  const row = sampleReplayEmitted('r', { epoch: 1, attempt: 2, position: 2 ** 40 });
  await temporary.store.insert(encodeReplayEmitted([row, { ...row, version: 5n }]));
  const { atMs: _, ...rest } = row;
  expect(await rowsOf('replay_emitted')).toEqual([{ ...rest, at: '2023-11-14 22:13:20.000', version: '5' }]);
});

test('verifier results: by verifier, version and what was shown', async () => {
  const rows = [
    sampleVerifierResult('aa', { rewards: { r: null }, report: '', cost: 0.25, status: 'timeout' }),
    sampleVerifierResult('aa', { scorer_version: '3', duration_ms: 0 }),
  ];
  await temporary.store.insert(encodeVerifierResults(rows));
  expect(await rowsOf('verifier_results')).toEqual(
    rows.map(({ atMs: _, ...row }) => ({ ...row, at: '2023-11-14 22:13:20.000', version: '1' })),
  );
});
