import { useEffect, useState } from 'preact/hooks';
import { onUnauthorized } from './api/request.ts';
import { useRuns } from './api/runs.ts';
import { PAGES } from './pages.ts';
import { ErrorNote } from './parts/error-note.tsx';
import { Frame } from './parts/frame.tsx';
import { Login } from './parts/login.tsx';
import { plainText } from './parts/untrusted-text.tsx';
import { usePlace } from './state/place.ts';

const FIRST_PAGE = 'flow';

export function App() {
  const place = usePlace();
  const runs = useRuns();
  const [isLockedOut, setLockedOut] = useState(false);
  useEffect(() => onUnauthorized(() => setLockedOut(true)), []);

  const { run = '', ...params } = place.params;
  const page = PAGES.find(({ path }) => path === (place.page || FIRST_PAGE));
  useEffect(() => {
    // A tab shows its beginning: what tells it from other tabs leads.
    const what = [page?.path === 'rollout' ? (params.id ?? '') : '', page?.title ?? 'not found', run, 'rollstream'];
    document.title = plainText(what.filter((part) => part !== '').join(' · '));
  }, [page, run, params.id]);

  if (isLockedOut) return <Login />;
  return (
    <Frame place={{ page: page?.path ?? '', params: place.params }} runs={runs.value ?? []} run={run}>
      {runs.error === null || runs.value !== null ? null : <ErrorNote error={runs.error} what="The runs" />}
      {page === undefined ? (
        <p class="empty">There is no page of this name. The pages are named above.</p>
      ) : (
        <page.view key={page.path} run={run} params={params} />
      )}
    </Frame>
  );
}
