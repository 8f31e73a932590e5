import type { RunSummary } from '../../../src/runs/runs.ts';
import { go, goWith, type Place } from '../state/place.ts';
import { plainText } from './untrusted-text.tsx';

interface RunPickerProps {
  readonly place: Place;
  readonly runs: readonly RunSummary[];
  readonly run: string;
}

/** The runs; those that take nothing more only when they are asked for, and the one that is looked at. */
export function RunPicker({ place, runs, run }: RunPickerProps) {
  const withClosed = place.params.closed === '1';
  const shown = runs.filter(({ run_id, state }) => withClosed || state === 'active' || run_id === run);
  const hasClosed = runs.some(({ state }) => state !== 'active');
  return (
    <>
      <label class="run">
        run
        <select value={run} onChange={(event) => go(inRun(place, event.currentTarget.value))}>
          <option value="">all runs</option>
          {shown.map(({ run_id, started, state }) => (
            <option key={run_id} value={run_id}>
              {run_id} ({started}){state === 'active' ? '' : `, ${state}`}
            </option>
          ))}
        </select>
      </label>
      {hasClosed ? (
        <label class="closed-runs">
          <input
            type="checkbox"
            checked={withClosed}
            onChange={(event) => goWith({ closed: event.currentTarget.checked ? '1' : null })}
          />
          archived
        </label>
      ) : null}
    </>
  );
}

/** What was said of a run that is looked at; nothing where nothing was. */
export function RunNote({ run }: { readonly run: RunSummary | undefined }) {
  if (run === undefined || !run.declared) return null;
  const { state, purpose, note, changed_at, events_per_second, in_flight_bytes } = run;
  const facts = [
    state === 'active' ? '' : `${state} since ${changed_at?.slice(0, 19) ?? ''} UTC`,
    purpose === null ? '' : `purpose: ${purpose}`,
    events_per_second === null ? '' : `quota: ${events_per_second} events/s`,
    in_flight_bytes === null ? '' : `quota: ${in_flight_bytes} bytes in flight`,
    state === 'deleted' && run.started > 0 ? 'events came after it was deleted' : '',
    plainText(note),
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? null : <p class="run-note">{facts.join(' · ')}</p>;
}

/** What names one rollout, group or replay, or a place in it: another run has others. */
const OF_ONE: ReadonlySet<string> = new Set([
  ...['id', 'epoch', 'attempt', 'view', 'turn', 'segment', 'token', 'with', 'tokenizer'],
  ...['unit', 'replay', 'rollout', 'bar', 'from', 'to', 'scale'],
]);

/** The same page of another run. */
function inRun({ page, params }: Place, run: string): Place {
  const kept = Object.entries(params).filter(([name]) => !OF_ONE.has(name));
  return { page, params: { ...Object.fromEntries(kept), run } };
}
