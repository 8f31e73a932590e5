import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { RequestFailed } from '../../api/request.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { GateActions } from './gate-actions.tsx';
import { GateState } from './gate-state.tsx';
import { limitsOver } from './gate-words.ts';
import { Limits } from './limits.tsx';
import { stateClass } from './state-class.ts';
import { useGates } from './use-gates.ts';

/** The gate of the run that is picked, with what a person may do; of all runs a line each. */
export function GatePanel({ run }: { readonly run: string }) {
  const { value, error, isLoading, look } = useGates(run);
  const isUnknown = error instanceof RequestFailed && error.status === 404;
  const [gate] = value ?? [];
  return (
    <section class="card wide" aria-busy={isLoading && value === null}>
      <h2>{run === '' ? 'Gates' : 'Gate'}</h2>
      {error === null || isUnknown ? null : <ErrorNote error={error} what="The gate" />}
      {isUnknown || value?.length === 0 ? (
        <p class="empty">
          Nothing was decided yet{run === '' ? '' : ' in this run'}, so there is no gate: npx rollstream import PATH
        </p>
      ) : value === null ? (
        error === null ? (
          <p class="loading">loading …</p>
        ) : null
      ) : run === '' ? (
        <Gates gates={value} />
      ) : gate === undefined ? null : (
        <OneGate gate={gate} changed={look} />
      )}
    </section>
  );
}

function OneGate({ gate, changed }: { readonly gate: GateStatus; readonly changed: () => void }) {
  const { window } = gate;
  return (
    <>
      <GateState gate={gate} />
      <Limits gate={gate} />
      <p class="note">
        {`The window is the last ${count(window.size)} trajectories${window.from === null ? '' : ` decided since ${window.from}`}: it holds ${count(window.trajectories)}. `}
        {window.trajectories < window.min_count ? `Fewer than ${count(window.min_count)} trip nothing. ` : ''}
        All are attempts of at least one model call that were neither superseded nor asked to run again.
      </p>
      <GateActions gate={gate} changed={changed} />
    </>
  );
}

function Gates({ gates }: { readonly gates: readonly GateStatus[] }) {
  const rows = gates.map((gate) => ({
    run_id: gate.run_id,
    state: gate.state,
    since: gate.since,
    held: gate.held,
    trajectories: gate.window.trajectories,
    ...limitsOver(gate.window.rates),
  }));
  return (
    <Table
      caption="The gate of each run; pick one to hold or release it"
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
        { name: 'since' },
        { name: 'held', isNumber: true },
        { name: 'trajectories', title: 'in the window', isNumber: true },
        { name: 'over', title: 'limits over' },
        { name: 'unsure', title: 'over, too few to be sure' },
      ]}
      rows={rows}
    />
  );
}
