import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { rejectedOf } from './books.ts';
import { type Facts, limitOf } from './limit.ts';

/** Each run in a line, with what limits it. */
export function RunsTable({ runs }: { readonly runs: readonly Facts[] }) {
  return (
    <section class="card wide">
      <h2>Runs</h2>
      <Table
        caption="Attempts by run"
        columns={[
          {
            name: 'run_id',
            title: 'run',
            draw: ({ run_id }) => (
              <a href={hrefOf({ page: 'flow', params: { run: String(run_id) } })}>
                <UntrustedText text={String(run_id)} />
              </a>
            ),
          },
          ...['started', 'ready', 'rejected', 'open', 'superseded', 'lost', 'queued', 'trained'].map((name) => ({
            name,
            isNumber: true,
          })),
          { name: 'limit', title: 'what limits it now' },
        ]}
        rows={runs.map((facts) => {
          const { run_id, started, ready, open, superseded, lost, ready_states } = facts.books;
          const { queued, trained } = ready_states;
          const limit = limitOf(facts).sentence;
          return {
            run_id,
            started,
            ready,
            rejected: rejectedOf(facts.books),
            open,
            superseded,
            lost,
            queued,
            trained,
            limit,
          };
        })}
      />
    </section>
  );
}
