import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { count, percent } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';

const CLASSES = ['malformed', 'silent_repair', 'args_lost', 'think_call_executed', 'parser_loss'] as const;

/** Findings by tool and class. A number of a class leads to its findings. */
export function RepairsTable({ rows, withRun }: { readonly rows: readonly Row[]; readonly withRun: boolean }) {
  const run: Column[] = withRun ? [{ name: 'run_id', title: 'run' }] : [];
  return (
    <Table
      caption={`Tool calls and what the audit of tools found about them: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}
      columns={[
        ...run,
        {
          name: 'tool',
          draw: (row) =>
            textOf(row, 'tool') === '' ? (
              <span class="faint">no tool is named</span>
            ) : (
              <UntrustedText text={textOf(row, 'tool')} />
            ),
        },
        { name: 'calls', isNumber: true, draw: (row) => count(numberOf(row, 'calls')) },
        ...CLASSES.map(
          (found): Column => ({
            name: found,
            title: found.replaceAll('_', ' '),
            isNumber: true,
            draw: (row) => <Found n={numberOf(row, found)} found={found} />,
          }),
        ),
        {
          name: 'other_findings',
          title: 'other',
          isNumber: true,
          draw: (row) => <Found n={numberOf(row, 'other_findings')} found="" />,
        },
        {
          name: 'rate',
          title: 'turns with any',
          isNumber: true,
          draw: (row) => percent(numberOf(row, 'rate')),
        },
      ]}
      rows={rows}
    />
  );
}

function Found({ n, found }: { readonly n: number | null; readonly found: string }) {
  if (n === null || n === 0) return <span class="faint">{count(n)}</span>;
  return (
    <button type="button" class="plain bad" onClick={() => goWith({ audit: 'tools', class: found })}>
      {count(n)}
    </button>
  );
}
