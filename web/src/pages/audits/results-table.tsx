import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { count, percent } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { IntervalBar } from './interval-bar.tsx';

const RESULTS = ['pass', 'warn', 'fail', 'not_auditable'] as const;

/** What each audit said, of how many it could say anything, and how sure its rate is. A pick filters the page by the audit. */
export function ResultsTable({ rows, withRun }: { readonly rows: readonly Row[]; readonly withRun: boolean }) {
  const run: Column[] = withRun ? [{ name: 'run_id', title: 'run' }] : [];
  return (
    <Table
      caption={`Attempts by what each audit said of them: ${rows.length} rows`}
      columns={[
        ...run,
        {
          name: 'audit',
          draw: (row) => (
            <button type="button" class="plain" onClick={() => goWith({ audit: textOf(row, 'audit'), class: null })}>
              <UntrustedText text={textOf(row, 'audit')} />
            </button>
          ),
        },
        ...RESULTS.map(
          (result): Column => ({
            name: result,
            title: result.replace('_', ' '),
            isNumber: true,
            draw: (row) => <Counted value={numberOf(row, result)} bad={result === 'fail' || result === 'warn'} />,
          }),
        ),
        {
          name: 'auditable_share',
          title: 'auditable',
          isNumber: true,
          draw: (row) => {
            const share = numberOf(row, 'auditable_share');
            return <span class={share !== null && share < 1 ? 'warn' : ''}>{percent(share)}</span>;
          },
        },
        {
          name: 'fail_rate',
          title: 'fails (95 %)',
          draw: (row) => (
            <IntervalBar
              rate={numberOf(row, 'fail_rate')}
              low={numberOf(row, 'fail_low')}
              high={numberOf(row, 'fail_high')}
            />
          ),
        },
      ]}
      rows={rows}
    />
  );
}

function Counted({ value, bad }: { readonly value: number | null; readonly bad: boolean }) {
  return <span class={bad && value !== null && value > 0 ? 'bad' : ''}>{count(value)}</span>;
}
