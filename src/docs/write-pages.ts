import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedQueries } from '../access/named-queries.ts';
import { openEmbeddedStore } from '../clickhouse/client.ts';
import { packageFile } from '../config/package-file.ts';
import { describedTables } from './described-tables.ts';
import { dashboards } from './grafana/dashboards.ts';
import { generatedPages } from './pages.ts';
import { sqlPage } from './sql-page.ts';

for (const [name, text] of generatedPages()) writeFileSync(packageFile('docs', name), text);
for (const [name, text] of dashboards()) writeFileSync(packageFile('infra', 'grafana', 'dashboards', name), text);

const folder = mkdtempSync(join(tmpdir(), 'rollstream-docs-'));
const store = await openEmbeddedStore({ folder });
await store.migrate();
const path = packageFile('docs', 'sql.md');
writeFileSync(path, sqlPage(readFileSync(path, 'utf8'), namedQueries(), await describedTables(store)));
await store.close();
rmSync(folder, { recursive: true });
