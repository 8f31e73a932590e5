import { type Row, statement, textOf, useRows } from '../../api/rows.ts';
import { summed } from '../../api/sum-rows.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { hrefOf } from '../../state/place.ts';
import columnsSql from './columns.sql?raw';

const LIVE = 'live_';

/** Tables and columns, each with what it means; a table leads to a statement over it. */
export function SchemaBrowser({ run }: { readonly run: string }) {
  const { value, error } = useRows(statement(columnsSql));
  const tables = summed(value ?? [], 'table').sort((a, b) => a.name.localeCompare(b.name));
  return (
    <section class="schema" aria-label="tables">
      <h2>Tables</h2>
      {error === null ? null : <ErrorNote error={error} what="Tables" />}
      {tables.map(({ name, rows }) => (
        <details key={name}>
          <summary>{name}</summary>
          <p>
            <a href={hrefOf({ page: 'sql', params: { run, sql: startOf(name, rows) } })}>query it</a>
          </p>
          <dl>
            {rows.map((row) => (
              <div key={textOf(row, 'name')}>
                <dt>
                  <code>{textOf(row, 'name')}</code> <span class="faint">{textOf(row, 'type')}</span>
                </dt>
                <dd>{meaningOf(row, value ?? [])}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}

/** A view says nothing of its columns: what they mean stands at its table. */
function meaningOf(row: Row, all: readonly Row[]): string {
  const own = textOf(row, 'comment');
  const table = textOf(row, 'table');
  if (own !== '' || !table.startsWith(LIVE)) return own;
  const base = all.find((one) => one.table === table.slice(LIVE.length) && one.name === row.name);
  return textOf(base, 'comment');
}

function startOf(table: string, columns: readonly Row[]): string {
  const ofRun = columns.some(({ name }) => name === 'run_id')
    ? "\nWHERE ({run:String} = '' OR run_id = {run:String})"
    : '';
  return `SELECT *\nFROM rollstream.${table}${ofRun}\nLIMIT 100`;
}
