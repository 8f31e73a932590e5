import { useState } from 'preact/hooks';
import type { Loaded } from '../../api/use-loaded.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, duration } from '../../parts/format.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Table } from '../../parts/table.tsx';
import type { AskedQuery } from './asked-query.ts';
import { columnsOfResult } from './exact-rows.ts';
import { ResultChart } from './result-chart.tsx';
import { csvOf, type Result } from './use-result.ts';

/** Rows, how many, how long it took, as files, and drawn where they are a list of numbers. */
export function ResultView({
  asked,
  result,
  params,
}: {
  readonly asked: AskedQuery;
  readonly result: Loaded<Result | null>;
  readonly params: Readonly<Record<string, string>>;
}) {
  const [csvError, setCsvError] = useState<Error | null>(null);
  const missing = asked.params.filter(({ isMissing }) => isMissing);
  const { value, error, isLoading } = result;
  const name = asked.query?.name ?? 'query';
  const saveCsv = async (): Promise<void> => {
    setCsvError(null);
    try {
      saveFile(`${name}.csv`, 'text/csv', await csvOf(asked));
    } catch (failed) {
      setCsvError(failed instanceof Error ? failed : new Error(String(failed)));
    }
  };
  return (
    <section class="card result" aria-busy={isLoading} aria-label="result">
      <h2>Result</h2>
      {missing.map(({ name: param, meaning }) => (
        <p key={param} class="empty">
          It needs {param}
          {meaning === '' ? '' : `: ${meaning}`}. Fill it in above, and run.
        </p>
      ))}
      {error === null ? null : <ErrorNote error={error} what="The query" />}
      {csvError === null ? null : <ErrorNote error={csvError} what="The CSV file" />}
      {isLoading && value === null ? <p class="loading">running …</p> : null}
      {value === null ? null : (
        <>
          <p class="actions" role="status">
            <span>
              {count(value.rows.length)} {value.rows.length === 1 ? 'row' : 'rows'} in {duration(Math.round(value.ms))}
            </span>
            <button type="button" onClick={() => void saveCsv()}>
              CSV
            </button>
            <button type="button" onClick={() => saveFile(`${name}.json`, 'application/json', value.json)}>
              JSON
            </button>
          </p>
          {value.rows.length === 0 ? (
            <p class="empty">No row matches. Another run may be picked above, or other values.</p>
          ) : (
            <>
              <ResultChart rows={value.rows} params={params} />
              <Table caption="Rows" columns={columnsOfResult(value.rows)} rows={value.rows} />
            </>
          )}
        </>
      )}
    </section>
  );
}
