import type { DiffCell } from '../../../../processors/replay/diff-tally.ts';
import { count } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

const MOST_VALUES = 14;

/** From what to what, as a square; what stayed the same lies on its diagonal. Many values: the moves alone, as a list. */
export function DiffMatrix({ title, cells }: { readonly title: string; readonly cells: readonly DiffCell[] }) {
  const values = [...new Set(cells.flatMap(({ from, to }) => [from, to]))].sort();
  const moved = cells.filter(({ from, to }) => from !== to);
  const most = Math.max(1, ...moved.map(({ n }) => n));
  return (
    <div class="matrix">
      <h3>{title}</h3>
      {values.length > MOST_VALUES ? (
        <ul>
          {moved.map(({ from, to, n }) => (
            <li key={`${from} ${to}`}>
              <UntrustedText text={from} /> → <UntrustedText text={to} />: {count(n)}
            </li>
          ))}
        </ul>
      ) : (
        <section class="scroll" tabIndex={0} aria-label={`${title}, from what to what`}>
          <table>
            <thead>
              <tr>
                <th scope="col">was ↓ is →</th>
                {values.map((value) => (
                  <th key={value} scope="col" class="number code">
                    <UntrustedText text={value} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {values.map((from) => (
                <tr key={from}>
                  <th scope="row" class="code">
                    <UntrustedText text={from} />
                  </th>
                  {values.map((to) => (
                    <Cell key={to} cell={cells.find((one) => one.from === from && one.to === to)} most={most} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}

function Cell({ cell, most }: { readonly cell: DiffCell | undefined; readonly most: number }) {
  if (cell === undefined) return <td class="number faint">·</td>;
  if (cell.from === cell.to) return <td class="number faint">{count(cell.n)}</td>;
  return (
    <td class="number moved" title={cell.examples.join(', ')}>
      <span class="shade" style={{ opacity: 0.1 + 0.3 * (cell.n / most) }} />
      <b>{count(cell.n)}</b>
    </td>
  );
}
