import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useShippedQueries } from '../api/named-queries.ts';
import { type Row, type Source, useRows } from '../api/rows.ts';
import type { Loaded } from '../api/use-loaded.ts';
import { hrefOf } from '../state/place.ts';
import { csvOf } from './csv.ts';
import { ErrorNote } from './error-note.tsx';
import { saveFile } from './save-file.ts';
import { columnsOf, Table } from './table.tsx';

export interface PanelProps {
  readonly title: string;
  /** What one sees, in a sentence. */
  readonly note?: string;
  readonly source: Source;
  /** The rows of `source`, where the page has asked for them already; left out: they are asked for here. */
  readonly loaded?: Loaded<Row[]>;
  /** What to do where there is nothing. */
  readonly empty: string;
  readonly refreshMs?: number;
  readonly isWide?: boolean;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

/** A question to the store and its drawing: with its SQL, its numbers, and what to do where it is empty or failed. */
export function Panel({ title, note, source, loaded, empty, refreshMs, isWide, children }: PanelProps) {
  const asked = useRows(loaded === undefined ? source : null, refreshMs ?? null);
  const { value, error, isLoading } = loaded ?? asked;
  return (
    <section class={isWide === true ? 'card wide' : 'card'} aria-busy={isLoading && value === null}>
      <h2>{title}</h2>
      {note === undefined ? null : <p class="note">{note}</p>}
      {error === null ? null : <ErrorNote error={error} what={title} />}
      {value === null ? (
        error === null ? (
          <p class="loading">loading …</p>
        ) : null
      ) : value.length === 0 ? (
        <p class="empty">{empty}</p>
      ) : (
        children(value)
      )}
      <Behind source={source} rows={value ?? []} title={title} />
    </section>
  );
}

/** Drawn only when it is opened: numbers and statement can be long. */
function Behind({
  source,
  rows,
  title,
}: {
  readonly source: Source;
  readonly rows: readonly Row[];
  readonly title: string;
}) {
  const [open, setOpen] = useState<'sql' | 'numbers' | null>(null);
  const toggle = (what: 'sql' | 'numbers'): void => setOpen(open === what ? null : what);
  return (
    <footer class="behind">
      <button type="button" aria-expanded={open === 'numbers'} onClick={() => toggle('numbers')}>
        numbers
      </button>
      <button type="button" aria-expanded={open === 'sql'} onClick={() => toggle('sql')}>
        SQL
      </button>
      {open === 'numbers' && rows.length > 0 ? (
        <button type="button" onClick={() => saveFile(`${fileNameOf(title)}.csv`, 'text/csv', csvOf(rows))}>
          CSV
        </button>
      ) : null}
      {open === 'numbers' ? (
        <Table
          caption={`${title}: the numbers, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}
          columns={columnsOf(rows)}
          rows={rows}
        />
      ) : null}
      {open === 'sql' ? <SqlOf source={source} /> : null}
    </footer>
  );
}

/** `By reason`: by-reason. */
function fileNameOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

export function SqlOf({ source }: { readonly source: Source }) {
  const { value } = useShippedQueries();
  const sql = source.kind === 'sql' ? source.sql : (value?.find(({ name }) => name === source.name)?.sql ?? '');
  const params = Object.fromEntries(Object.entries(source.params).map(([name, param]) => [`p.${name}`, String(param)]));
  const place: Record<string, string> = source.kind === 'sql' ? { sql: source.sql } : { named: source.name };
  return (
    <>
      <p>
        <a href={hrefOf({ page: 'sql', params: { ...place, ...params } })}>Open it in the SQL box</a>
      </p>
      <pre class="sql" tabIndex={0}>
        {sql}
      </pre>
    </>
  );
}
