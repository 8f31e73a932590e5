import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { gateWhy } from '../../../../src/gate/gate-why.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { limitsOver } from '../audits/gate-words.ts';
import { stateClass } from '../audits/state-class.ts';

/** The gate of each run in a line; the page of audits says the rest. */
export function Gates({ gates }: { readonly gates: Loaded<GateStatus[]> }) {
  const { value, error, isLoading } = gates;
  return (
    <section class="card" aria-busy={isLoading && value === null}>
      <h2>Gates</h2>
      <p class="note">What is ready passes while the gate of its run is open. Audits shows its limits, and opens it.</p>
      {error === null ? null : <ErrorNote error={error} what="Gates" />}
      {value === null ? null : value.length === 0 ? (
        <p class="empty">No run has a gate yet.</p>
      ) : (
        <Table
          caption="Gate by run"
          columns={[
            {
              name: 'run_id',
              title: 'run',
              draw: ({ run_id }) => (
                <a href={hrefOf({ page: 'audits', params: { run: String(run_id) } })}>
                  <UntrustedText text={String(run_id)} />
                </a>
              ),
            },
            {
              name: 'state',
              draw: ({ state }) => <span class={`badge ${stateClass(String(state))}`}>{String(state)}</span>,
            },
            { name: 'held', isNumber: true },
            { name: 'over', title: 'limits over' },
            { name: 'unsure', title: 'over, too few to be sure' },
            { name: 'since' },
            { name: 'why' },
          ]}
          rows={value.map(rowOf)}
        />
      )}
    </section>
  );
}

function rowOf({ run_id, state, held, since, why, window }: GateStatus) {
  const { over, unsure } = limitsOver(window.rates);
  return {
    run_id,
    state,
    held,
    over: over || null,
    unsure: unsure || null,
    since: since === null ? null : since.slice(0, 19).replace('T', ' '),
    why: gateWhy(why).join('; ') || null,
  };
}
