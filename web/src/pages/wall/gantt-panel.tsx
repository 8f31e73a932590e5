import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { duration, NOTHING } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { barWords, Gantt } from './gantt.tsx';
import { type Bar, lanesOf } from './gantt-lanes.ts';
import { clockScale, evenScale } from './time-scale.ts';

interface GanttPanelProps {
  readonly run: string;
  readonly rollout: string;
  readonly attempt: number;
  readonly params: Readonly<Record<string, string>>;
}

/** What happened when in one rollout. What is picked and looked at closer stands in the URL. */
export function GanttPanel({ run, rollout, attempt, params }: GanttPanelProps) {
  return (
    <Panel
      title={`${rollout}${attempt === 0 ? '' : ` try ${attempt}`} on the clock`}
      note="Pick a bar for its times; what runs at once has a line of its own."
      source={named('wall_gantt', { run, rollout, attempt })}
      empty="No event of this try is known: pick one of the slowest rollouts below."
      isWide
    >
      {(rows) => <OnTheClock rows={rows} rollout={rollout} attempt={attempt} params={params} />}
    </Panel>
  );
}

function OnTheClock({
  rows,
  rollout,
  attempt,
  params,
}: Omit<GanttPanelProps, 'run'> & { readonly rows: readonly Row[] }) {
  const run = textOf(rows[0], 'run_id');
  const lanes = lanesOf(rows);
  const bars = lanes.flatMap((lane) => lane.bars);
  const untimed = rows.filter((row) => numberOf(row, 'started_ms') === null || numberOf(row, 'ended_ms') === null);
  const marks = rows.flatMap((row) => {
    const at = numberOf(row, 'started_ms');
    const kind = textOf(row, 'kind');
    return at !== null && (kind === 'start' || kind === 'end') ? [{ name: kind, at }] : [];
  });
  const times = [...bars.flatMap(({ from, to }) => [from, to]), ...marks.map(({ at }) => at)];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const window = { from: numberIn(params.from) ?? first, to: numberIn(params.to) ?? last };
  const isClose = window.from > first || window.to < last;
  const isEven = params.scale === 'even';
  const picked = numberIn(params.bar);
  const bar = bars.find(({ index }) => index === picked);
  const leave = { rollout: null, attempt: null, bar: null, from: null, to: null, scale: null };
  return (
    <>
      <p class="choices">
        <RolloutLink run={run} rollout={rollout} attempt={attempt} />
        <button type="button" aria-pressed={isEven} onClick={() => goWith({ scale: isEven ? null : 'even' })}>
          each step as wide
        </button>
        <button type="button" disabled={!isClose} onClick={() => goWith({ from: null, to: null })}>
          whole time
        </button>
        <button type="button" onClick={() => goWith(leave)}>
          close
        </button>
      </p>
      {bars.length === 0 ? (
        <p class="empty">Its source gives no times, so that nothing can be put on a line; durations are below.</p>
      ) : (
        <Gantt
          lanes={lanes}
          scale={isEven ? evenScale(times) : clockScale(window.from, window.to)}
          marks={marks}
          picked={picked}
          pick={(index) => goWith({ bar: String(index) }, 'replace')}
        />
      )}
      <div class="picked" role="status">
        {bar === undefined ? null : <Picked bar={bar} run={run} rollout={rollout} attempt={attempt} />}
      </div>
      {untimed.length === 0 ? null : (
        <Table
          caption={`${untimed.length} events have no time`}
          columns={[
            { name: 'kind' },
            { name: 'name' },
            { name: 'turn', title: 'call', isNumber: true },
            {
              name: 'duration_ms',
              title: 'duration',
              isNumber: true,
              draw: (row) => duration(numberOf(row, 'duration_ms')),
            },
            { name: 'status' },
          ]}
          rows={untimed}
        />
      )}
    </>
  );
}

function Picked({
  bar,
  run,
  rollout,
  attempt,
}: {
  readonly bar: Bar;
  readonly run: string;
  readonly rollout: string;
  readonly attempt: number;
}) {
  const room = Math.max(1, (bar.to - bar.from) * 0.1);
  const zoom = { from: String(Math.max(0, bar.from - room)), to: String(bar.to + room), scale: null };
  return (
    <p>
      <UntrustedText text={barWords(bar)} />{' '}
      <button type="button" onClick={() => goWith(zoom)}>
        look closer
      </button>{' '}
      {bar.turn === null ? (
        <span class="faint">{NOTHING}</span>
      ) : (
        <RolloutLink run={run} rollout={rollout} attempt={attempt} at={{ turn: String(bar.turn) }} />
      )}
    </p>
  );
}

function numberIn(text: string | undefined): number | null {
  return text === undefined || text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
}
