import { expect, it } from 'vitest';
import { createFirstNames } from '../../../src/observe/first-names.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';

it('the first names stay as they are, all others are one', () => {
  const nameOf = createFirstNames(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b'].map(nameOf)).toEqual(['a', 'b', 'other', 'a', 'other', 'b']);
});

it('of a thousand runs two hundred have series of their own, and runs that are not for the sender have none', async () => {
  const metrics = createMetrics();
  metrics.recorder.ingestedOfRun(null, { accepted: 0, refused: 5, limited: '' });
  for (let n = 0; n < 1_000; n++)
    metrics.recorder.ingestedOfRun(`run-${n}`, { accepted: 2, refused: 0, limited: n === 0 ? 'in_flight' : '' });
  const { text } = await metrics.exposition();
  expect(text.match(/^rollstream_run_records_total\{/gm)).toHaveLength(202);
  expect(text).toContain('rollstream_run_records_total{run="run-199",outcome="accepted"} 2');
  expect(text).toContain('rollstream_run_records_total{run="other",outcome="accepted"} 1600');
  expect(text).toContain('rollstream_run_records_total{run="other",outcome="refused"} 5');
  expect(text).toContain('rollstream_run_quota_total{run="run-0",quota="in_flight"} 1');
});
