import { expect, it } from 'vitest';
import { exportFileName } from '../../../src/export/export-file-name.ts';

it.each([
  ['lr3e-6', 'lr3e-6.parquet'],
  ['../up', '%2E.%2Fup.parquet'],
  ['.hidden', '%2Ehidden.parquet'],
  ['a b/c', 'a%20b%2Fc.parquet'],
  ['', '%.parquet'],
])('a run %j is the file %s of its folder', (run, name) => {
  expect(exportFileName(run, 'parquet')).toBe(name);
});
