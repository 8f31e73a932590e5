import { expect, it } from 'vitest';
import { driftOverTime, NO_TIME } from '../../../../../web/src/pages/audits/drift-over-time.ts';

const row = (hour: string | null, attempts_looked: number, attempts_found: number, run_id = 'a') => ({
  ...{ run_id, hour, audit: 'tools', class: 'malformed', attempts_looked, attempts_found },
});

it('runs are added up before the share is taken, and hours without a time come last', () => {
  const drawn = driftOverTime([
    row(null, 2, 1),
    row('2026-03-02 10:00:00', 10, 0),
    row('2026-03-02 09:00:00', 30, 3),
    row('2026-03-02 09:00:00', 10, 1, 'b'),
  ]);
  expect(drawn.labels).toEqual(['2026-03-02 09:00', '2026-03-02 10:00', NO_TIME]);
  expect(drawn.series).toEqual([{ name: 'tools: malformed', values: [10, 0, 50] }]);
});

it('an hour in which nothing could be looked at has no rate', () => {
  expect(driftOverTime([row('2026-03-02 09:00:00', 0, 0)]).series[0]?.values).toEqual([null]);
});
