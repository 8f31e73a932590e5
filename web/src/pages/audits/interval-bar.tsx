import { decimal, percent } from '../../parts/format.ts';

interface IntervalBarProps {
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Where a limit stands; left out: there is none. */
  readonly limit?: number;
  /** It is a mean, not a share. */
  readonly isMean?: boolean;
}

/** A rate of 0 to 1 with its interval and a limit. The drawing repeats what the text says. */
export function IntervalBar({ rate, low, high, limit, isMean = false }: IntervalBarProps) {
  if (rate === null) return <span class="faint">nothing to look at</span>;
  const shown = (value: number): string => (isMean ? decimal(value, 4) : percent(value));
  return (
    <span class="interval">
      {isMean ? null : (
        <span class="scale" aria-hidden="true">
          {low === null || high === null ? null : (
            <span class="range" style={{ left: `${low * 100}%`, width: `${Math.max(0, high - low) * 100}%` }} />
          )}
          <span class="point" style={{ left: `${rate * 100}%` }} />
          {limit === undefined ? null : <span class="limit" style={{ left: `${limit * 100}%` }} />}
        </span>
      )}
      <span>
        {shown(rate)}
        {low === null || high === null ? null : <span class="faint">{` (${shown(low)} to ${shown(high)})`}</span>}
      </span>
    </span>
  );
}
