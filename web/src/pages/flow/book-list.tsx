import { statement } from '../../api/rows.ts';
import { RolloutList } from '../../parts/rollout-list.tsx';
import { hrefOf } from '../../state/place.ts';
import openAttempts from './open-attempts.sql?raw';
import rolloutsOfBook from './rollouts-of-book.sql?raw';
import { REFRESH_MS } from './use-flow.ts';

const LIMIT = 100;

const TITLES: Readonly<Record<string, string>> = {
  started: 'Started',
  running: 'Running: started, not decided yet',
  open: 'Open: started, not decided yet',
  held: 'Held by the gate',
  ready: 'Ready',
  rejected: 'Rejected',
  superseded: 'Superseded by a higher attempt',
  lost: 'Lost: their records were deleted before they were decided',
};

/** The rollouts of the place that is picked in the picture. */
export function BookList({ run, params }: { readonly run: string; readonly params: Readonly<Record<string, string>> }) {
  const { book = '', state = '', hour = '' } = params;
  if (book === '') return null;
  const asked = { run, book, hour, limit: LIMIT };
  const isOfStarts = book === 'started' || book === 'running' || book === 'open';
  const details = [state, hour === '' ? '' : `started in the hour of ${hour}`].filter((text) => text !== '');
  return (
    <>
      <RolloutList
        key={book}
        title={[TITLES[book] ?? book, ...details].join(', ')}
        note={book === 'open' ? 'What the gate holds is decided, and stands under its own place.' : ''}
        source={isOfStarts ? statement(openAttempts, asked) : statement(rolloutsOfBook, { ...asked, state })}
        empty="There is none now."
        refreshMs={REFRESH_MS}
      />
      <p class="wide close">
        <a href={hrefOf({ page: 'flow', params: { run } })}>close the list</a>
      </p>
    </>
  );
}
