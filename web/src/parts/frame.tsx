import type { ComponentChildren } from 'preact';
import type { RunSummary } from '../../../src/runs/runs.ts';
import { signOut, useSession } from '../api/session.ts';
import { PAGES } from '../pages.ts';
import { hrefOf, type Place } from '../state/place.ts';
import { useTheme } from '../state/theme.ts';
import { RunNote, RunPicker } from './run-picker.tsx';

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
        <RunPicker place={place} runs={runs} run={run} />
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
        <RunNote run={runs.find(({ run_id }) => run_id === run)} />
        {children}
      </main>
    </>
  );
}
