import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { colourOf } from '../../parts/colours.ts';
import { duration, percent } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';

/** The rollouts that took longest, with what they spent it on; a name puts one on the clock above. */
export function SlowestList({
  rows,
  params,
}: {
  readonly rows: readonly Row[];
  readonly params: Readonly<Record<string, string>>;
}) {
  const { bar: _bar, from: _from, to: _to, ...kept } = params;
  return (
    <Table
      caption="By wall clock, start to end"
      columns={[
        {
          name: 'rollout_id',
          title: 'rollout',
          draw: (row) => {
            const [rollout, attempt] = [textOf(row, 'rollout_id'), textOf(row, 'attempt')];
            const href = hrefOf({ page: 'wall', params: { ...kept, run: textOf(row, 'run_id'), rollout, attempt } });
            return (
              <a
                href={href}
                aria-current={params.rollout === rollout && (params.attempt ?? '0') === attempt ? 'true' : undefined}
              >
                <UntrustedText text={rollout} />
                {attempt === '0' ? null : ` try ${attempt}`}
              </a>
            );
          },
        },
        { name: 'env_name', title: 'environment' },
        { name: 'reason' },
        { name: 'total_ms', title: 'took', isNumber: true, draw: (row) => duration(numberOf(row, 'total_ms')) },
        {
          name: 'parts',
          title: 'on',
          draw: (row) => <Parts parts={partsOf(row)} total={numberOf(row, 'total_ms') ?? 0} />,
        },
      ]}
      rows={rows}
    />
  );
}

type Part = readonly [name: string, ms: number];

function Parts({ parts, total }: { readonly parts: readonly Part[]; readonly total: number }) {
  const [largest] = parts;
  return (
    <span class="parts">
      <span class="part-bars" aria-hidden="true">
        {parts.map(([name, ms]) => (
          <span
            key={name}
            title={`${name}: ${duration(ms)}`}
            style={{ width: `${total === 0 ? 0 : (ms / total) * 100}%`, background: colourOf(name, 0) }}
          />
        ))}
      </span>
      <span class="faint">
        {largest === undefined || total === 0 ? '' : `${largest[0]} ${percent(largest[1] / total, 0)}`}
      </span>
    </span>
  );
}

/** The longest first. */
function partsOf(row: Row): Part[] {
  const { parts } = row;
  if (typeof parts !== 'object' || parts === null) return [];
  return Object.entries(parts)
    .flatMap(([name, ms]): Part[] => (typeof ms === 'number' ? [[name, ms]] : []))
    .sort(([, a], [, b]) => b - a);
}
