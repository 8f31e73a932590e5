import type { RunAccounting } from '../../../../src/clickhouse/accounting.ts';
import type { StatusAnswer } from '../../../../src/server/routes/status.ts';
import { count, percent } from '../../parts/format.ts';
import { plainText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { type Books, imbalances, rejectedOf } from './books.ts';
import deadLettersSql from './dead-letters.sql?raw';

/** The books in numbers, each a link to its rollouts, and whether they balance. */
export function FlowTiles({
  run,
  books,
  runs,
  status,
  deadLetters,
}: {
  readonly run: string;
  readonly books: Books;
  readonly runs: readonly RunAccounting[];
  /** null: unknown. */
  readonly status: StatusAnswer | null;
  /** Records that could not be read, of no run; null: unknown. */
  readonly deadLetters: number | null;
}) {
  const { started, ready, open, held, superseded, lost, ready_states } = books;
  const rejected = rejectedOf(books);
  const share = (n: number): string => (started === 0 ? '' : percent(n / started));
  const ofBook = (book: string, state = ''): string => hrefOf({ page: 'flow', params: { run, book, state } });
  const lag = status === null ? null : status.lanes.reduce((sum, lane) => sum + lane.lag, 0);
  return (
    <>
      <div class="tiles flow-tiles">
        <Tile href={ofBook('started')} n={started} title="started" />
        <Tile href={ofBook('ready')} n={ready} title="ready" more={share(ready)} />
        <Tile
          href={hrefOf({ page: 'failures', params: { run } })}
          n={rejected}
          title="rejected"
          more={share(rejected)}
        />
        <Tile href={ofBook('open')} n={open} title="open" more={held === 0 ? '' : `${count(held)} held`} />
        <Tile href={ofBook('superseded')} n={superseded} title="superseded" />
        {lost === 0 ? null : <Tile href={ofBook('lost')} n={lost} title="lost" />}
        <Tile href={ofBook('ready', 'queued')} n={ready_states.queued} title="queued" />
        <Tile href={ofBook('ready', 'trained')} n={ready_states.trained} title="trained" />
        <div class="tile">
          <b>{count(lag)}</b>
          <span>records behind</span>
        </div>
        <Tile
          href={hrefOf({ page: 'sql', params: { sql: deadLettersSql } })}
          n={deadLetters}
          title="dead letters"
          more="unread, in no run"
          isBad={deadLetters !== null && deadLetters > 0}
        />
      </div>
      <Balance books={books} runs={runs} />
    </>
  );
}

function Tile({
  href,
  n,
  title,
  more = '',
  isBad = false,
}: {
  readonly href: string;
  readonly n: number | null;
  readonly title: string;
  readonly more?: string;
  readonly isBad?: boolean;
}) {
  return (
    <a class="tile" href={href}>
      <b class={isBad ? 'bad' : ''}>{count(n)}</b>
      <span>
        {title}
        {more === '' ? '' : ` · ${more}`}
      </span>
    </a>
  );
}

/** The identity of accounting in numbers, or what is missing from it. */
function Balance({ books, runs }: { readonly books: Books; readonly runs: readonly RunAccounting[] }) {
  const { started, ready, open, lost, superseded, not_taken_in } = books;
  const missing = imbalances(runs);
  const refused = Object.entries(not_taken_in);
  return (
    <div class="balance">
      {missing.length === 0 ? (
        <p>
          <span class="badge good">balanced</span> {count(started)} started = {count(ready)} ready +{' '}
          {count(rejectedOf(books))} rejected + {count(open)} open + {count(lost)} lost + {count(superseded)} superseded
        </p>
      ) : (
        missing.map((line) => (
          <p key={line} role="alert">
            <span class="badge bad">not balanced</span> {plainText(line)}
          </p>
        ))
      )}
      {refused.length === 0 ? null : (
        <p class="faint">
          In no book, since their group refused them:{' '}
          {refused.map(([reason, n]) => `${count(n)} ${plainText(reason)}`).join(', ')}.
        </p>
      )}
    </div>
  );
}
