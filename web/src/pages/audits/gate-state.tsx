import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { gateWhy } from '../../../../src/gate/gate-why.ts';
import { count } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import heldSql from './held.sql?raw';
import { stateClass } from './state-class.ts';

const MEANS: Readonly<Record<GateStatus['state'], string>> = {
  open: 'What would be ready is ready.',
  warn: 'What would be ready is ready; a limit is over.',
  quarantine: 'What would be ready is ready, but attempts with a finding of these classes are quarantined:',
  preflight: 'The first trajectories are held until the limits pass.',
  hold: 'What would be ready is held until a person releases it.',
};

const BY: Readonly<Record<GateStatus['by'], string>> = {
  policy: 'by the policy: nobody has changed it yet',
  evaluator: 'by its limits',
  set: 'set by a person',
  release: 'released by a person',
};

/** What it is, since when, why, and what waits for it. */
export function GateState({ gate }: { readonly gate: GateStatus }) {
  const { state, classes, by, since, why, held, run_id } = gate;
  return (
    <div class="gate-state">
      <p class="sentence">
        <span class={`badge ${stateClass(state)}`}>{state}</span> {MEANS[state]}{' '}
        {classes.length === 0 ? null : <UntrustedText text={classes.join(', ')} />}
      </p>
      <p>
        {BY[by]}
        {since === null ? '' : `, since ${since}`}
        {held === 0 ? (
          '. It holds nothing.'
        ) : (
          <>
            . It holds <b>{count(held)}</b> trajectories:{' '}
            <a href={hrefOf({ page: 'sql', params: { sql: heldSql, 'p.run': run_id } })}>which ones</a>.
          </>
        )}
      </p>
      {gateWhy(why).map((line) => (
        <p key={line} class="why">
          <UntrustedText text={line} />
        </p>
      ))}
    </div>
  );
}
