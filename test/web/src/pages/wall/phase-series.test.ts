import { expect, it } from 'vitest';
import { NO_TIME, phasesByEnvironment, phasesOverTime } from '../../../../../web/src/pages/wall/phase-series.ts';

const phase = (env_name: string, name: string, sum_ms: number, share: number | null) => ({
  ...{ run_id: 'a', env_name, phase: name, sum_ms, share },
});

const ROWS = [
  phase('desk', 'model', 3_000, 0.75),
  phase('desk', 'verify', 500, null),
  phase('shop', 'model', 1_000, 1),
];

it('what follows the end has no share, and stands in the sums', () => {
  expect(phasesByEnvironment(ROWS, 'share', false)).toEqual({
    labels: ['desk', 'shop'],
    series: [{ name: 'model', values: [75, 100] }],
    unit: '%',
  });
  expect(phasesByEnvironment(ROWS, 'sum', false).series).toEqual([
    { name: 'model', values: [3, 1] },
    { name: 'verify', values: [0.5, null] },
  ]);
});

it('one environment of two runs is two lines', () => {
  const two = [...ROWS, { ...phase('desk', 'model', 9_000, 1), run_id: 'b' }];
  expect(phasesByEnvironment(two, 'share', true).labels).toEqual(['a · desk', 'a · shop', 'b · desk']);
});

it('an hour adds up its runs, and what has no time says so', () => {
  const at = (hour: string | null, sum_ms: number) => ({ run_id: 'a', hour, phase: 'model', sum_ms });
  expect(phasesOverTime([at('2026-03-02 09:00:00', 1_000), at('2026-03-02 09:00:00', 500), at(null, 2_000)])).toEqual({
    labels: ['2026-03-02 09:00', NO_TIME],
    series: [{ name: 'model', values: [1.5, 2] }],
    unit: 's',
  });
});
