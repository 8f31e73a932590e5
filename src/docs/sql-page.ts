import type { NamedQuery } from '../access/named-queries.ts';
import type { DescribedTable } from './described-tables.ts';
import { markdownTable } from './markdown-table.ts';

/** What stands behind this line of docs/sql.md is made from the code; what stands before it is written by hand. */
const MADE_FROM_HERE = '<!-- From here on made by `npm run docs`: do not edit. -->\n';

/** docs/sql.md with its made part anew: the named queries, and every table and column as the migrations make them. */
export function sqlPage(page: string, queries: readonly NamedQuery[], tables: readonly DescribedTable[]): string {
  const [written = ''] = page.split(MADE_FROM_HERE);
  return [written, MADE_FROM_HERE, queriesPart(queries), tablesPart(tables)].join('');
}

function queriesPart(queries: readonly NamedQuery[]): string {
  const rows = queries.map(({ name, question, params }) => [
    `\`${name}\``,
    question,
    params.map((param) => `\`${param.name}\`${param.preset ? ` = ${param.preset}` : ''}: ${param.meaning}`).join('; '),
  ]);
  return `
## Named queries

\`rollstream query --named NAME --param name=value\`, or \`GET /v1/named/NAME?name=value\`. What each column means is said in its file, [infra/clickhouse/queries](../infra/clickhouse/queries), in \`GET /v1/named\`, and on the SQL page.

${markdownTable(['query', 'answers', 'parameters'], rows)}`;
}

function tablesPart(tables: readonly DescribedTable[]): string {
  const stored = tables.filter(({ engine }) => engine !== 'View');
  const views = tables.filter(({ engine }) => engine === 'View').map(({ name, comment }) => [`\`${name}\``, comment]);
  return `
## Views

${markdownTable(['view', 'has'], views)}
## Tables and columns
${stored.map(tablePart).join('')}`;
}

function tablePart({ name, comment, sorting_key, columns }: DescribedTable): string {
  const rows = columns.map((column) => [`\`${column.name}\``, `\`${column.type}\``, column.comment]);
  const key = sorting_key === '' ? 'none' : ['`', sorting_key, '`'].join('');
  return `\n### ${name}\n\n${comment}. Key: ${key}.\n\n${markdownTable(['column', 'type', 'meaning'], rows)}`;
}
