import { colourOf } from '../../parts/colours.ts';
import { duration } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import type { Bar, Lane } from './gantt-lanes.ts';
import type { TimeScale } from './time-scale.ts';

interface GanttProps {
  readonly lanes: readonly Lane[];
  readonly scale: TimeScale;
  /** Instants of the attempt itself, ms. */
  readonly marks: ReadonlyArray<{ readonly name: string; readonly at: number }>;
  readonly picked: number | null;
  readonly pick: (index: number) => void;
}

/** Bars on a time line, a button each. */
export function Gantt({ lanes, scale, marks, picked, pick }: GanttProps) {
  return (
    <div class="gantt">
      {lanes.map(({ title, bars }) => (
        <section key={title} class="lane" aria-label={title}>
          <span class="lane-title">
            <UntrustedText text={title} />
          </span>
          <div class="track">
            {bars.map((bar) => (
              <BarButton key={bar.index} bar={bar} scale={scale} isPicked={bar.index === picked} pick={pick} />
            ))}
          </div>
        </section>
      ))}
      <div class="lane axis" aria-hidden="true">
        <span class="lane-title" />
        <div class="track">
          {scale.ticks.map((tick) => (
            <span key={tick} class="at" style={{ left: `${scale.place(tick) * 100}%` }}>
              {duration(tick)}
            </span>
          ))}
          {marks
            .filter(({ at }) => scale.place(at) >= 0 && scale.place(at) <= 1)
            .map(({ name, at }) => (
              <span key={name} class="moment" style={{ left: `${scale.place(at) * 100}%` }}>
                {name}
              </span>
            ))}
        </div>
      </div>
    </div>
  );
}

function BarButton({
  bar,
  scale,
  isPicked,
  pick,
}: {
  readonly bar: Bar;
  readonly scale: TimeScale;
  readonly isPicked: boolean;
  readonly pick: (index: number) => void;
}) {
  const from = Math.max(0, scale.place(bar.from));
  const to = Math.min(1, scale.place(bar.to));
  if (from > 1 || to < 0) return null;
  return (
    <button
      type="button"
      class={`bar${bar.status === 'error' ? ' failed' : ''}`}
      aria-pressed={isPicked}
      title={barWords(bar)}
      style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%`, background: barColour(bar) }}
      onClick={() => pick(bar.index)}
    >
      <span class="unseen">{barWords(bar)}</span>
      <span class="bar-name" aria-hidden="true">
        {bar.name}
      </span>
    </button>
  );
}

export function barWords({ kind, name, turn, from, to, status }: Bar): string {
  const what = `${kind.replace('_', ' ')}${name === '' ? '' : ` ${name}`}`;
  const when = from === to ? `at ${duration(from)}` : `${duration(to - from)} from ${duration(from)} on`;
  return [what, ...(turn === null ? [] : [`call ${turn}`]), when, ...(status === '' ? [] : [status])].join(', ');
}

function barColour({ kind, name }: Bar): string {
  if (kind === 'model_call') return colourOf('model', 0);
  if (kind === 'tool_result') return colourOf('tool_wait', 0);
  return kind === 'phase' ? colourOf(name, 0) : colourOf('other', 0);
}
