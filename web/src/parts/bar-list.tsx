import type { ComponentChildren } from 'preact';
import './bar-list.css';
import { UntrustedText } from './untrusted-text.tsx';

export interface Bar {
  readonly name: string;
  /** What stands for a name that is empty. */
  readonly title?: string;
  readonly href: string;
  readonly isPicked?: boolean;
  /** What the bar's length is; null: nothing is drawn, since there is none. */
  readonly value: number | null;
  readonly colour: string;
  /** Behind the bar, a cell each. */
  readonly cells: readonly ComponentChildren[];
}

/** Bars that are links, each with its numbers: for names that one picks, by keyboard, too. */
export function BarList({
  caption,
  heads,
  bars,
}: {
  readonly caption: string;
  /** Of the name, the bar, and each cell. */
  readonly heads: readonly string[];
  readonly bars: readonly Bar[];
}) {
  const most = Math.max(0, ...bars.map(({ value }) => value ?? 0));
  return (
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table class="bars">
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={head} scope="col" class={index > 1 ? 'number' : ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, title, href, isPicked, value, colour, cells }) => (
            <tr key={name}>
              <td>
                <a href={href} aria-current={isPicked === true ? 'true' : undefined}>
                  <UntrustedText text={name === '' ? (title ?? '(none)') : name} />
                </a>
              </td>
              <td class="track">
                {value === null || most === 0 ? null : (
                  <div class="bar" style={{ width: `${(value / most) * 100}%`, background: colour }} />
                )}
              </td>
              {cells.map((cell, index) => (
                <td key={index} class="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
