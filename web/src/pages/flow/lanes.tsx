import type { StatusAnswer } from '../../../../src/server/routes/status.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Table } from '../../parts/table.tsx';

/** How far the server's own lanes are in the log. */
export function Lanes({ status }: { readonly status: Loaded<StatusAnswer> }) {
  const { value, error, isLoading } = status;
  return (
    <section class="card" aria-busy={isLoading && value === null}>
      <h2>Lanes</h2>
      <p class="note">
        One for each partition that this process reads; lag: records of the log that no commit has read.
        {value === null ? '' : ` rollstream ${value.version}.`}
      </p>
      {error === null ? null : <ErrorNote error={error} what="Lanes" />}
      {value === null ? null : (
        <>
          {value.readiness.ready ? null : <p class="error">Not ready: {value.readiness.reason}</p>}
          {value.lanes.length === 0 ? (
            <p class="empty">This process reads no partition: others have them all, or it only serves.</p>
          ) : (
            <Table
              caption="Partitions of the log"
              columns={[
                { name: 'topic' },
                { name: 'partition', isNumber: true },
                { name: 'frontier', isNumber: true },
                { name: 'end', isNumber: true },
                { name: 'lag', isNumber: true },
                { name: 'open_attempts', title: 'open', isNumber: true },
                { name: 'restored', draw: (row) => (row.restored === true ? 'yes' : 'being rebuilt') },
              ]}
              rows={value.lanes.map((lane) => ({ ...lane }))}
            />
          )}
        </>
      )}
    </section>
  );
}
