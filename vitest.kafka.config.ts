import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/kafka/longest-first.ts';

/** The tests that need real services: Java and Maven. They are started once for all of them. */
export default defineConfig({
  test: {
    include: ['test/kafka/**/*.test.ts'],
    globalSetup: ['test/kafka/services.ts'],
    pool: 'forks',
    // Each file has topics of its own, and most of its time is waiting.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
