import { METRICS } from '../../observe/metric-table.ts';
import { dashboardOf } from './dashboard-of.ts';
import type { PanelSpec } from './panel.ts';

const { name: lag } = METRICS.lag;
const WINDOW = '[$__rate_interval]';

/** Is the pipeline itself well: from the metrics of each process. */
export function pipelineHealth(): object {
  return dashboardOf({
    uid: 'rollstream-health',
    title: 'rollstream: pipeline health',
    panels: PANELS,
    variables: [],
  });
}

const PANELS: readonly PanelSpec[] = [
  metric(
    'Records read',
    'Of rollout.steps, a second, by lane.',
    `sum by (partition) (rate(${METRICS.recordsRead.name}${WINDOW}))`,
    '{{partition}}',
    'reqps',
  ),
  metric(
    'Lag',
    'Records that no committed cut has read. Grows: reading is slower than what comes.',
    `sum by (partition) (${lag})`,
    '{{partition}}',
    'short',
  ),
  metric(
    'Decided',
    'Attempts a second, by disposition.',
    `sum by (disposition) (rate(${METRICS.decisions.name}${WINDOW}))`,
    '{{disposition}}',
    'reqps',
    true,
  ),
  metric(
    'Not folded',
    'Events that were duplicate, late, orphans …, a second.',
    `sum by (reason) (rate(${METRICS.stepFaults.name}${WINDOW}))`,
    '{{reason}}',
    'reqps',
  ),
  metric(
    'Dead letters',
    'Records that could not be read.',
    `sum by (stage, code) (increase(${METRICS.deadLetters.name}${WINDOW}))`,
    '{{stage}} {{code}}',
    'short',
  ),
  metric(
    'Flush, p99',
    'From freezing a cut to its commit.',
    `histogram_quantile(0.99, sum by (le) (rate(${METRICS.flushSeconds.name}_bucket${WINDOW})))`,
    'p99',
    's',
  ),
  metric(
    'Rows into the store',
    'Acknowledged, a second, by table.',
    `sum by (table) (rate(${METRICS.rowsInserted.name}${WINDOW}))`,
    '{{table}}',
    'reqps',
    true,
  ),
  metric(
    'In flight',
    'Bytes read and not yet committed; at its limit reading waits.',
    `sum(${METRICS.bytesInFlight.name})`,
    'bytes',
    'bytes',
  ),
  metric(
    'Open attempts',
    'Begun and not decided, by lane.',
    `sum by (partition) (${METRICS.openAttempts.name})`,
    '{{partition}}',
    'short',
    true,
  ),
  metric(
    'A restart would take',
    'Estimate of the rebuild, by lane.',
    `max by (partition) (${METRICS.recoverySeconds.name})`,
    '{{partition}}',
    's',
  ),
  metric(
    'Gates',
    'Runs by the state of their gate. Look at hold.',
    `sum by (state) (${METRICS.gateRuns.name})`,
    '{{state}}',
    'short',
    true,
  ),
  metric(
    'Bodies refused or slowed',
    'POST /v1/steps and /v1/verdicts that were not taken; RS_INGEST_FULL is back-pressure.',
    `sum by (outcome) (rate(${METRICS.ingestBodies.name}{outcome!="ok"}${WINDOW}))`,
    '{{outcome}}',
    'reqps',
  ),
  metric(
    'Ready',
    'Trajectories by their state in delivery.',
    `sum by (state) (${METRICS.readyTrajectories.name})`,
    '{{state}}',
    'short',
    true,
  ),
  metric(
    'Trainers wait, p95',
    'For the batch that they were granted. Long: rollouts are the bottleneck.',
    `histogram_quantile(0.95, sum by (le) (rate(${METRICS.trainerWaitSeconds.name}_bucket${WINDOW})))`,
    'p95',
    's',
  ),
  metric(
    'Ready to taken, p95',
    'Age on the ready topic when granted. Long: training is the bottleneck.',
    `histogram_quantile(0.95, sum by (le) (rate(${METRICS.queueSeconds.name}_bucket${WINDOW})))`,
    'p95',
    's',
  ),
  metric(
    'Services',
    '1 while a service answers.',
    `min by (service) (${METRICS.serviceUp.name})`,
    '{{service}}',
    'short',
  ),
  metric(
    'HTTP, p99',
    'By route.',
    `histogram_quantile(0.99, sum by (le, route) (rate(${METRICS.httpSeconds.name}_bucket${WINDOW})))`,
    '{{route}}',
    's',
  ),
  metric(
    'Lost',
    'Attempts and offsets that the log deleted before they were read. Alarm on any.',
    `sum(${METRICS.attemptsLost.name}) + sum(${METRICS.recordsLost.name})`,
    'lost',
    'short',
  ),
];

function metric(
  title: string,
  description: string,
  expr: string,
  legend: string,
  unit: string,
  isStacked = false,
): PanelSpec {
  return {
    title,
    description,
    type: 'timeseries',
    width: 8,
    unit,
    isStacked,
    target: { kind: 'prometheus', expr, legend },
  };
}
