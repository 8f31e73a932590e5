import { named, numberOf, type Row, statement, textOf, useRows } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useGates } from '../audits/use-gates.ts';
import { BookList } from './book-list.tsx';
import { addedUp } from './books.ts';
import './flow.css';
import { FlowPicture } from './flow-picture.tsx';
import { FlowTiles } from './flow-tiles.tsx';
import { Gates } from './gates.tsx';
import { Lanes } from './lanes.tsx';
import type { Facts } from './limit.ts';
import { limitOfAll } from './limit-of-all.ts';
import { RunsTable } from './runs-table.tsx';
import { Throughput } from './throughput.tsx';
import { Staleness, TrainerFeed, Waits } from './trainer.tsx';
import { REFRESH_MS, useBooks, useStatus } from './use-flow.ts';

const COUNT_LETTERS = 'SELECT count() AS n FROM rollstream.dead_letters FINAL';

/** Where attempts are, and what limits them now; looked at again every few seconds. */
export function FlowPage({ run, params }: PageProps) {
  const books = useBooks(run);
  const status = useStatus();
  const gates = useGates(run);
  const feed = useRows(named('trainer_feed', { run }), REFRESH_MS);
  const layers = useRows(named('bottleneck', { run }), REFRESH_MS * 6);

  const letters = useRows(statement(COUNT_LETTERS, {}), REFRESH_MS * 6);

  if (books.value === null)
    return (
      <>
        <h1>Flow</h1>
        {books.error === null ? (
          <p class="loading" aria-busy>
            loading …
          </p>
        ) : (
          <ErrorNote error={books.error} what="The books" />
        )}
      </>
    );
  if (books.value.length === 0)
    return (
      <>
        <h1>Flow</h1>
        <p class="sentence">{run === '' ? 'No rollout has started yet.' : 'No rollout of this run has started.'}</p>
        <p class="empty">
          Rollouts come by <code>npx rollstream import PATH</code>, or from a recorder; the examples by{' '}
          <code>npx rollstream up --example</code>.
        </p>
        <div class="cards">
          <Lanes status={status} />
        </div>
      </>
    );

  const isKnown = [status, gates, feed, layers].every(({ value, error }) => value !== null || error !== null);
  const facts = books.value.map(
    (one): Facts => ({
      books: one,
      status: status.value,
      gate: gates.value?.find(({ run_id }) => run_id === one.run_id) ?? null,
      feed: ofRun(feed.value, one.run_id)?.[0] ?? (feed.value === null ? null : {}),
      layers: ofRun(layers.value, one.run_id),
      nowMs: Date.now(),
    }),
  );
  const sum = addedUp(books.value);
  return (
    <>
      <h1>Flow</h1>
      <p class="sentence" aria-live="polite" aria-busy={!isKnown}>
        {isKnown ? limitOfAll(facts).sentence : 'Looking for what limits it …'}
      </p>
      {books.error === null ? null : <ErrorNote error={books.error} what="The books" />}
      <FlowTiles
        run={run}
        books={sum}
        runs={books.value}
        status={status.value}
        deadLetters={letters.value === null ? null : numberOf(letters.value[0], 'n')}
      />
      <div class="cards">
        <section class="card wide">
          <h2>Where attempts are</h2>
          <p class="note">Widths are numbers of attempts; each place leads to its rollouts.</p>
          <FlowPicture run={run} books={sum} />
        </section>
        <BookList run={run} params={params} />
        {books.value.length > 1 ? <RunsTable runs={facts} /> : null}
        <Throughput run={run} />
        <Lanes status={status} />
        <Gates gates={gates} />
        <TrainerFeed run={run} feed={feed} />
        <Waits run={run} />
        <Staleness run={run} />
      </div>
    </>
  );
}

function ofRun(rows: readonly Row[] | null, run: string): Row[] | null {
  return rows === null ? null : rows.filter((row) => textOf(row, 'run_id') === run);
}
