import { expect, it } from 'vitest';
import { METRICS } from '../../../src/observe/metric-table.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';

it('exposes what was recorded, and the lanes as they are at the scrape', async () => {
  const { recorder, watchLanes, exposition } = createMetrics(() => 20_000);
  recorder.recordsRead(2, 10, 4_096);
  recorder.decided('train', 'completion', 'task_complete');
  recorder.decided('train', 'completion', 'task_complete');
  recorder.stepFault('late');
  recorder.deadLetter('decode', 'truncated');
  recorder.rowsInserted('steps', 10);
  recorder.flushed(2, 0.02);
  recorder.transacted(2, 0.004);
  recorder.bytesInFlight(77);
  recorder.rebalanced();
  recorder.ingested('/v1/steps', 'ok', 7, 1);
  recorder.ingested('/v1/steps', 'RS_INGEST_FULL', 0, 0);
  recorder.ingestBytesInFlight(4_096);
  recorder.lost(2, 3, 40);
  // Ten records in two seconds of rebuilding.
  recorder.restored(2, 2);
  let frontier = 5;
  const lane = { partition: 2, restored: true, position: 9, logEnd: 9, openUnits: 3, openAttempts: 4 };
  watchLanes(() => [
    { ...lane, frontier, watermark: 1, oldestOpenAtMs: 12_500 },
    // Of an idle lane nothing is open; of the last one it is not known.
    { ...lane, partition: 3, frontier, watermark: 6, oldestOpenAtMs: null },
    { ...lane, partition: 4, frontier },
  ]);
  frontier = 6;
  const { text, contentType } = await exposition();
  expect(contentType).toMatch(/^text\/plain/);
  for (const line of [
    'rollstream_records_read_total{partition="2"} 10',
    'rollstream_read_bytes_total{partition="2"} 4096',
    'rollstream_decisions_total{disposition="train",category="completion",reason="task_complete"} 2',
    'rollstream_step_faults_total{reason="late"} 1',
    'rollstream_dead_letters_total{stage="decode",code="truncated"} 1',
    'rollstream_rows_inserted_total{table="steps"} 10',
    'rollstream_flush_seconds_count{partition="2"} 1',
    'rollstream_transaction_seconds_count{partition="2"} 1',
    'rollstream_in_flight_bytes 77',
    'rollstream_rebalances_total 1',
    'rollstream_lost_attempts_total{partition="2"} 3',
    'rollstream_lost_records_total{partition="2"} 40',
    'rollstream_lane_watermark_offset{partition="2"} 1',
    'rollstream_lane_watermark_age_seconds{partition="2"} 7.5',
    'rollstream_lane_recovery_seconds{partition="2"} 1',
    'rollstream_lane_watermark_age_seconds{partition="3"} 0',
    'rollstream_lane_recovery_seconds{partition="3"} 0',
    'rollstream_lane_lag_records{partition="2"} 3',
    'rollstream_ingest_bodies_total{route="/v1/steps",outcome="RS_INGEST_FULL"} 1',
    'rollstream_ingest_records_total{route="/v1/steps",outcome="accepted"} 7',
    'rollstream_ingest_records_total{route="/v1/steps",outcome="refused"} 1',
    'rollstream_ingest_in_flight_bytes 4096',
    'rollstream_lane_open_units{partition="2"} 3',
    'rollstream_lane_open_attempts{partition="2"} 4',
    'rollstream_lane_restored{partition="2"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).not.toMatch(/(watermark|recovery).*partition="4"/);
});

it('keeps two pipelines in one process apart', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.recorder.stepFault('late');
  expect((await other.exposition()).text).not.toContain('reason="late"');
});

it('names every metric once, with prefix, unit and help', () => {
  const names = Object.values(METRICS).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, help } of Object.values(METRICS)) {
    expect(name).toMatch(/^rollstream_[a-z_]+$/);
    expect(help, name).toMatch(/[.…]$/);
  }
});
