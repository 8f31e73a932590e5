import { useState } from 'preact/hooks';
import type { ShippedQuery } from '../../api/named-queries.ts';
import { hrefOf } from '../../state/place.ts';
import { groupedQueries } from './query-groups.ts';

/** The queries that are shipped, to be searched and picked. */
export function QueryList({
  run,
  queries,
  picked,
}: {
  readonly run: string;
  readonly queries: readonly ShippedQuery[];
  /** Empty: none. */
  readonly picked: string;
}) {
  const [search, setSearch] = useState('');
  const groups = groupedQueries(queries, search);
  return (
    <nav class="query-list" aria-label="named queries">
      <p>
        <a href={hrefOf({ page: 'sql', params: { run } })} aria-current={picked === '' ? 'true' : undefined}>
          Your own statement
        </a>
      </p>
      <label>
        named queries
        <input
          type="search"
          placeholder="search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      {groups.length === 0 ? <p class="empty">No query has these words in its name, title or question.</p> : null}
      {groups.map(({ title, queries: own }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {own.map(({ name, title: says, question }) => (
              <li key={name}>
                <a
                  href={hrefOf({ page: 'sql', params: { run, named: name } })}
                  aria-current={name === picked ? 'true' : undefined}
                  title={question}
                >
                  {says}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
