import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need Java and Maven: npm run test:kafka.
    exclude: ['test/kafka/**'],
    // Native engines (LMDB, chDB) keep process-wide state: a process per file, two at once.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
