import {
  BarController,
  BarElement,
  CategoryScale,
  type ChartConfiguration,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'preact/hooks';
import { colourOf, themeColour } from './colours.ts';
import { decimal } from './format.ts';

ChartJs.register(
  BarController,
  BarElement,
  LineController,
  LineElement,
  PointElement,
  CategoryScale,
  LinearScale,
  Legend,
  Tooltip,
);

/** One value a label; null: there is none, and nothing is drawn. */
export interface Series {
  readonly name: string;
  readonly values: ReadonlyArray<number | null>;
  readonly colour?: string;
}

export interface ChartProps {
  readonly kind: 'bar' | 'line';
  /** What it shows, for those who do not see it. */
  readonly label: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly isStacked?: boolean;
  /** Bars from the left, a line each. */
  readonly isHorizontal?: boolean;
  /** Of a value, such as ms or %. */
  readonly unit?: string;
  readonly onPick?: (label: string, series: string) => void;
}

const LINE_PX = 26;
/** Heights are multiples of it, so that a line more seldom moves what stands below. */
const STEP_PX = 40;
const MOST_STEPS = 40;

/**
 * A chart; a pick calls back with its label and series. Its numbers stand in a table beside it (see Panel), so that nobody needs to
 * see or to point at the drawing.
 */
export function Chart(props: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<ChartJs | null>(null);
  const given = JSON.stringify([
    props.kind,
    props.labels,
    props.series,
    props.isStacked,
    props.isHorizontal,
    props.unit,
  ]);

  useEffect(() => {
    if (canvas.current === null) return;
    const draw = (): void => {
      if (canvas.current === null) return;
      chart.current?.destroy();
      chart.current = new ChartJs(canvas.current, configurationOf(props));
    };
    draw();
    addEventListener('rollstream-theme', draw);
    return () => {
      removeEventListener('rollstream-theme', draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [given]);

  const lines =
    props.isHorizontal === true
      ? Math.max(4, props.labels.length * (props.isStacked === true ? 1 : props.series.length))
      : 9;
  const steps = Math.min(MOST_STEPS, Math.ceil((lines * LINE_PX + 60) / STEP_PX));
  return (
    <div class="chart" style={{ height: `${steps * STEP_PX}px` }}>
      <canvas ref={canvas} role="img" aria-label={props.label} />
    </div>
  );
}

function configurationOf({
  kind,
  labels,
  series,
  isStacked = false,
  isHorizontal = false,
  unit = '',
  onPick,
}: ChartProps): ChartConfiguration {
  const ink = themeColour('ink');
  const line = themeColour('line');
  const grid = { color: line };
  const ticks = { color: ink };
  const areCounts = series.every(({ values: own }) => own.every((value) => value === null || Number.isInteger(value)));
  const values = {
    stacked: isStacked,
    beginAtZero: true,
    grid,
    ticks: areCounts ? { ...ticks, precision: 0 } : ticks,
  };
  const names = { stacked: isStacked, grid: { display: false }, ticks };
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values: data, colour }, index) => ({
        label: name,
        data: [...data],
        backgroundColor: colour ?? colourOf(name, index),
        borderColor: colour ?? colourOf(name, index),
        borderWidth: kind === 'line' ? 2 : 0,
        pointRadius: labels.length > 60 ? 0 : 2,
        maxBarThickness: 28,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: isHorizontal ? 'y' : 'x',
      interaction: { mode: kind === 'line' ? 'index' : 'nearest', intersect: kind === 'bar' },
      scales: isHorizontal
        ? { x: values, y: { ...names, ticks: { ...ticks, autoSkip: false } } }
        : { x: names, y: values },
      plugins: {
        legend: { display: series.length > 1, labels: { color: ink, boxWidth: 12 } },
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) => {
              const value = isHorizontal ? parsed.x : parsed.y;
              return `${dataset.label}: ${decimal(value)} ${unit}`;
            },
          },
        },
      },
      onHover: (event, elements) => {
        const target = event.native?.target;
        if (target instanceof HTMLElement)
          target.classList.toggle('pickable', onPick !== undefined && elements.length > 0);
      },
      onClick: (_event, elements) => {
        const [element] = elements;
        if (element === undefined || onPick === undefined) return;
        onPick(labels[element.index] ?? '', series[element.datasetIndex]?.name ?? '');
      },
    },
  };
}
