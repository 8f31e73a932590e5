import { useState } from 'preact/hooks';
import { useShippedQueries } from '../../api/named-queries.ts';
import type { PageProps } from '../../pages.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { askedQuery } from './asked-query.ts';
import { QueryList } from './query-list.tsx';
import { ResultView } from './result-view.tsx';
import { SchemaBrowser } from './schema-browser.tsx';
import './sql.css';
import { StatementBox } from './statement-box.tsx';
import { useResult } from './use-result.ts';

/** The queries that are shipped, and a box for one's own; what is asked stands in the URL. */
export function SqlPage({ run, params }: PageProps) {
  const shipped = useShippedQueries();
  const [asks, setAsks] = useState(0);
  const asked = shipped.value === null ? null : askedQuery(shipped.value, run, params);
  const result = useResult(asked, asks);
  const named = params.named ?? '';
  return (
    <>
      <h1>SQL</h1>
      {shipped.error === null ? null : <ErrorNote error={shipped.error} what="The named queries" />}
      <div class="sql-page" aria-busy={shipped.value === null && shipped.error === null}>
        <aside class="card">
          <QueryList run={run} queries={shipped.value ?? []} picked={named} />
          <SchemaBrowser run={run} />
        </aside>
        <div class="sql-main">
          <section class="card" aria-label="statement">
            {asked?.query == null ? (
              <h2>{named === '' ? 'Your own statement' : 'Not found'}</h2>
            ) : (
              <>
                <h2>{asked.query.title}</h2>
                <p>{asked.query.question}</p>
                {asked.query.notes === '' ? null : (
                  <details class="notes">
                    <summary>what its columns mean</summary>
                    <p>{asked.query.notes}</p>
                  </details>
                )}
                <p class="faint">
                  <code>{asked.query.example}</code>
                </p>
              </>
            )}
            {named !== '' && asked === null && shipped.value !== null ? (
              <p class="error" role="alert">
                No query is named <UntrustedText text={named} />. Those that are shipped stand beside.
              </p>
            ) : null}
            <StatementBox run={run} asked={asked} onAgain={() => setAsks(asks + 1)} />
          </section>
          {asked === null ? null : <ResultView asked={asked} result={result} params={params} />}
        </div>
      </div>
    </>
  );
}
