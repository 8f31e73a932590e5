import { expect, it } from 'vitest';
import { createWindowCounter } from '../../../processors/gate/window-counter.ts';

it('a quarantine for template failures names what failed, not what only warns', () => {
  const counter = createWindowCounter(['template_failures']);
  const found = [
    { audit: 'template', class: 'bos_missing', severity: 'fail' },
    { audit: 'template', class: 'think_stripped', severity: 'warn' },
  ] as const;
  counter.add({ trajectories: 3, isUnknown: false, results: { template: 'fail' }, found });
  counter.add({ trajectories: 7, isUnknown: false, results: { template: 'warn' }, found: found.slice(1) });
  expect(counter.counts().rates.get('template_failures')).toEqual({ n: 10, hits: 3, classes: ['bos_missing'] });
});
