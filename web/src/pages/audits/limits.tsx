import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import { count, decimal, percent } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { countsOf, isBeyond } from './gate-words.ts';
import { IntervalBar } from './interval-bar.tsx';

/** Each limit of a gate beside the rate that its window has. */
export function Limits({ gate }: { readonly gate: GateStatus }) {
  const { rates } = gate.window;
  if (rates.length === 0) return <p class="empty">The policy sets no limits: nothing closes this gate by itself.</p>;
  return (
    <section class="scroll" tabIndex={0} aria-label="Limits of the gate">
      <table class="limits">
        <caption>Rates of the window with their 95 % intervals, and the limits they are held to</caption>
        <thead>
          <tr>
            <th scope="col">limit</th>
            <th scope="col">allowed</th>
            <th scope="col">rate</th>
            <th scope="col" class="number">
              of
            </th>
            <th scope="col">is</th>
          </tr>
        </thead>
        <tbody>
          {rates.map((one) => {
            const { limit, bound, bound_at, rate, low, high, n, hits, is_tripped } = one;
            const isMean = rate !== null && hits === null;
            return (
              <tr key={limit}>
                <th scope="row">
                  <UntrustedText text={limit} />
                  <span class="counts">{countsOf(limit)}</span>
                </th>
                <td>{`at ${bound === 'max' ? 'most' : 'least'} ${isMean || limit.startsWith('match_') ? decimal(bound_at, 4) : percent(bound_at)}`}</td>
                <td>
                  <IntervalBar rate={rate} low={low} high={high} limit={bound_at} isMean={isMean} />
                </td>
                <td class="number">{hits === null ? count(n) : `${count(hits)} of ${count(n)}`}</td>
                <td>
                  {is_tripped ? (
                    <span class="bad">over, tripped</span>
                  ) : isBeyond(one) ? (
                    <span class="warn">over, too few to be sure</span>
                  ) : rate === null ? (
                    <span class="faint">not known</span>
                  ) : (
                    <span class="good">within</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
