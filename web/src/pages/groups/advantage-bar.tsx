import { decimal } from '../../parts/format.ts';

/** An advantage as a bar from the middle: to the left what is below the baseline. `most`: of its group, the largest size. */
export function AdvantageBar({ value, most }: { readonly value: number | null; readonly most: number }) {
  if (value === null) return <span class="faint">none</span>;
  const half = most === 0 ? 0 : (Math.abs(value) / most) * 50;
  return (
    <span class="advantage">
      <span class="around" aria-hidden="true">
        <span
          class={value < 0 ? 'below' : 'above'}
          style={{ left: `${value < 0 ? 50 - half : 50}%`, width: `${half}%` }}
        />
      </span>
      <span class="value">{decimal(value)}</span>
    </span>
  );
}
