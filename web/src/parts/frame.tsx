import type { ComponentChildren } from 'preact';
import type { RunSummary } from '../../../src/access/access.ts';
import { signOut, useSession } from '../api/session.ts';
import { PAGES } from '../pages.ts';
import { go, hrefOf, type Place } from '../state/place.ts';
import { useTheme } from '../state/theme.ts';

interface FrameProps {
  readonly place: Place;
  readonly runs: readonly RunSummary[];
  readonly run: string;
  readonly children: ComponentChildren;
}

/** What stands around each page: its name, the pages, the run, the theme. */
export function Frame({ place, runs, run, children }: FrameProps) {
  const [theme, toggleTheme] = useTheme();
  const session = useSession();
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <strong class="brand">rollstream</strong>
        <nav aria-label="pages">
          {PAGES.map(({ path, title }) => (
            <a
              key={path}
              href={hrefOf({ page: path, params: { run } })}
              aria-current={path === place.page ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <label class="run">
          run
          <select value={run} onChange={(event) => go(inRun(place, event.currentTarget.value))}>
            <option value="">all runs</option>
            {runs.map(({ run_id, started }) => (
              <option key={run_id} value={run_id}>
                {run_id} ({started})
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="theme" onClick={toggleTheme}>
          {theme === 'dark' ? 'light' : 'dark'}
        </button>
        {session.value?.signed_in === true ? (
          <button type="button" onClick={() => void signOut().then(() => location.reload())}>
            sign out
          </button>
        ) : null}
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
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
