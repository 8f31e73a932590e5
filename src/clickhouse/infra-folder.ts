import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** infra/clickhouse of the package: above this file, both in the sources and where they are compiled to. */
export function infraFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'infra', 'clickhouse');
    if (existsSync(join(candidate, 'migrations'))) return candidate;
  }
  throw new Error('infra/clickhouse is missing from the package');
}
