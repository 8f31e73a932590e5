import { defineConfig } from 'vitest/config';

/** The tests that need real services: Java and Maven. They are started once for all of them. */
export default defineConfig({
  test: {
    include: ['test/kafka/**/*.test.ts'],
    globalSetup: ['test/kafka/services.ts'],
    pool: 'forks',
    // Two cores: what kills processes takes three times as long beside another of its kind, and nothing is won.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
