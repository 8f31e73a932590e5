import { describe, expect, it } from 'vitest';
import { BENCHES } from './benches.ts';
import { tableOf } from './table-of.ts';

describe('each bench runs, and prints its figures', () => {
  for (const bench of BENCHES) {
    it(bench.name, async () => {
      const figures = await bench.run('smoke');
      expect(figures.length).toBeGreaterThan(0);
      for (const { value, yardstick } of figures) {
        expect(value.median).toBeGreaterThan(0);
        expect(yardstick?.value.median ?? 1).toBeGreaterThan(0);
      }
      expect(tableOf(figures)).toContain(figures[0]?.name);
    });
  }
});
