import { numberOf, type Row, textOf } from '../../api/row.ts';

/** An event of an attempt with a begin and an end, ms from the first time on. */
export interface Bar {
  /** Its number among the rows, from 0. */
  readonly index: number;
  readonly kind: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly turn: number | null;
  readonly status: string;
}

/** Bars that do not overlap. */
export interface Lane {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const LANES: ReadonlyArray<readonly [title: string, kinds: readonly string[]]> = [
  ['model', ['model_call']],
  ['tools', ['tool_result']],
  ['phases', ['phase']],
  ['messages', ['message']],
  ['verdicts', ['verdict']],
];

/** Bars by what they are; of those that run at once each has a lane of its own. Rows without times have no bar. */
export function lanesOf(rows: readonly Row[]): Lane[] {
  const bars = rows.flatMap((row, index) => barOf(row, index));
  const units = new Set(rows.map((row) => textOf(row, 'unit')));
  const [firstUnit] = units;
  return [...units].flatMap((unit) =>
    LANES.flatMap(([title, kinds]) => {
      const own = bars.filter(({ index, kind }) => kinds.includes(kind) && textOf(rows[index], 'unit') === unit);
      const name = unit === firstUnit ? title : `${title} of ${unit}`;
      return apart(own).map((lane, place) => ({ title: place === 0 ? name : `${name} ${place + 1}`, bars: lane }));
    }),
  );
}

function barOf(row: Row, index: number): Bar[] {
  const [from, to] = [numberOf(row, 'started_ms'), numberOf(row, 'ended_ms')];
  if (from === null || to === null) return [];
  const told = {
    index,
    kind: textOf(row, 'kind'),
    name: textOf(row, 'name'),
    turn: numberOf(row, 'turn'),
    status: statusOf(textOf(row, 'status')),
  };
  return [{ ...told, from: Math.min(from, to), to: Math.max(from, to) }];
}

/** Each bar in the first lane that is free when it begins. */
function apart(bars: readonly Bar[]): Bar[][] {
  const lanes: Bar[][] = [];
  for (const bar of [...bars].sort((a, b) => a.from - b.from || a.to - b.to || a.index - b.index)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? 0) <= bar.from);
    if (free === undefined) lanes.push([bar]);
    else free.push(bar);
  }
  return lanes;
}

/** SGLang's finish reason is JSON whose type says it. */
function statusOf(status: string): string {
  return status.match(/^\{"type":\s*"([a-z_]+)"/)?.[1] ?? status;
}
