import { useEffect, useState } from 'preact/hooks';
import { go, placeOf } from '../../state/place.ts';
import { type AskedQuery, paramsIn, placeOfParams } from './asked-query.ts';

/** A statement with its values, and the button that runs it; what runs stands in the URL. */
export function StatementBox({
  run,
  asked,
  onAgain,
}: {
  readonly run: string;
  /** null: nothing is asked yet. */
  readonly asked: AskedQuery | null;
  /** Runs what the URL has already. */
  readonly onAgain: () => void;
}) {
  const given = JSON.stringify([asked?.sql ?? '', asked?.params.map(({ name, value }) => [name, value]) ?? []]);
  const [sql, setSql] = useState(asked?.sql ?? '');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    setSql(asked?.sql ?? '');
    setValues(Object.fromEntries(asked?.params.map(({ name, value }) => [name, value]) ?? []));
  }, [given]);

  const query = asked?.query ?? null;
  const isOwn = query === null || sql !== query.sql;
  const params = isOwn ? paramsIn(sql) : query.params;
  const ask = (): void => {
    if (sql.trim() === '') return;
    const told = placeOfParams(Object.fromEntries(params.map(({ name }) => [name, values[name] ?? ''])));
    const what: Record<string, string> = isOwn ? { sql } : { named: query.name };
    const before = location.hash;
    go({ page: 'sql', params: { run, ...what, ...told } });
    // A value may be left out, so that the place is compared, and not its text.
    if (JSON.stringify(placeOf(before)) === JSON.stringify(placeOf(location.hash))) onAgain();
  };
  return (
    <form
      class="statement"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      {params.length === 0 ? null : (
        <div class="params">
          {params.map(({ name, type, meaning, preset }) => (
            <label key={name}>
              <span>
                {name} <span class="faint">{type}</span>
              </span>
              <input
                type="text"
                value={values[name] ?? ''}
                placeholder={preset === null ? 'needed' : preset === '' ? 'all' : preset}
                title={meaning}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </div>
      )}
      <label class="sql-box">
        SQL
        <textarea
          spellcheck={false}
          rows={Math.min(24, Math.max(6, sql.split('\n').length + 1))}
          value={sql}
          onInput={(event) => setSql(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            ask();
          }}
        />
      </label>
      <p class="actions">
        <button type="submit" class="primary" disabled={sql.trim() === ''}>
          Run
        </button>
        <span class="faint">
          Ctrl or Cmd + Enter · SELECT only, within the server's limits
          {isOwn && query !== null ? ' · changed: it runs as a statement of your own' : ''}
        </span>
      </p>
    </form>
  );
}
