import { defineConfig } from 'vitest/config';
import { testsThatShare } from './test/tests-that-share.ts';
import { findChromium } from './test/web/find-chromium.ts';

const alike = {
  // Native engines (LMDB, chDB) keep process-wide state: a process per file, two at once.
  pool: 'forks',
  maxWorkers: 2,
  testTimeout: 240_000,
  hookTimeout: 240_000,
} as const;

const sharing = testsThatShare();

/** The page in a browser; null: there is none, and it says so. */
const web =
  findChromium() === null
    ? []
    : [{ test: { ...alike, name: 'web', include: ['test/web/**/*.test.ts'], globalSetup: ['test/web/served.ts'] } }];

export default defineConfig({
  test: {
    // What TypeScript compiles to is kept from run to run.
    experimental: { fsModuleCache: true },
    ...alike,
    projects: [
      {
        test: {
          ...alike,
          name: 'main',
          include: ['test/**/*.test.ts'],
          // They need Java and Maven: npm run test:kafka. Those of the page need a browser.
          exclude: ['test/kafka/**', 'test/web/**', ...sharing],
        },
      },
      { test: { ...alike, name: 'pure', include: sharing, isolate: false } },
      ...web,
    ],
  },
});
