import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { markdownTable } from '../../../../src/docs/markdown-table.ts';
import { ROLES } from '../../../../src/server/auth/caller.ts';
import { openPaths, ROUTE_ACCESS, type RunPlace } from '../../../../src/server/auth/route-access.ts';

/** What a token of some runs may ask, as the page has it. */
const OF_SOME_RUNS: Readonly<Record<RunPlace['in'], string>> = {
  none: 'yes: nothing of a run is in it',
  all: 'no: it spans runs',
  path: 'of its runs',
  query: 'with `?run=`, of its runs',
  list: 'its runs alone are listed',
  body: 'of its runs',
  record: 'records of its runs are taken',
  lease: 'of its runs',
  producer: 'of producers of its runs alone',
};

function table(): string {
  const rows = Object.entries(ROUTE_ACCESS).flatMap(([route, { roles, run }]) =>
    roles === null
      ? []
      : [[`\`${route}\``, ...ROLES.map((role) => (roles.includes(role) ? '✓' : '')), OF_SOME_RUNS[run.in]]],
  );
  return markdownTable(['route', ...ROLES, 'token of some runs'], rows);
}

it('the page of tokens has the table as the code has it', () => {
  expect(readFileSync(packageFile('docs', 'tenants.md'), 'utf8')).toContain(table());
});

it('without a token only what holds no data is answered', () => {
  expect(new Set(openPaths())).toEqual(new Set(['/healthz', '/readyz', '/v1/session']));
});
