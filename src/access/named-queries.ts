import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../config/package-file.ts';

/** A query that is shipped: `infra/clickhouse/queries/<name>.sql`, its header (lines of `--`) says what it answers. */
export interface NamedQuery {
  readonly name: string;
  readonly description: string;
  /** `name:Type` of each parameter. */
  readonly params: readonly string[];
  readonly sql: string;
}

export function namedQueries(): NamedQuery[] {
  const folder = packageFile('infra', 'clickhouse', 'queries');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => namedQuery(file.slice(0, -'.sql'.length), readFileSync(`${folder}/${file}`, 'utf8')));
}

function namedQuery(name: string, text: string): NamedQuery {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, end).map((line) => line.replace(/^-- ?/, '').trim());
  const sql = lines.slice(end).join('\n').trim().replace(/;$/, '');
  const params = [...sql.matchAll(/\{(\w+) *: *([^}]+)\}/g)].map((match) => `${match[1]}:${match[2]?.trim()}`);
  return { name, description: header[0] ?? '', params: [...new Set(params)], sql };
}
