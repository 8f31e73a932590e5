import { type NamedQuery, namedQueries } from '../../access/named-queries.ts';
import { dashboardOf } from './dashboard-of.ts';
import { CLICKHOUSE, type PanelSpec } from './panel.ts';

/** The run that is looked at; all of them are the empty text that the named queries know. Grafana puts the value of "all" in as it is. */
const RUN = {
  name: 'run',
  label: 'run',
  type: 'query',
  datasource: CLICKHOUSE,
  query: 'SELECT DISTINCT run_id FROM rollstream.attempts ORDER BY run_id',
  refresh: 2,
  includeAll: true,
  allValue: "''",
  multi: false,
  current: { text: 'All', value: '$__all' },
};

/** What became of rollouts, and why: each panel is a named query, so that its numbers are those of `rollstream query --named`. */
export function rolloutsDashboard(): object {
  return dashboardOf({ uid: 'rollstream-rollouts', title: 'rollstream: rollouts', panels: panels(), variables: [RUN] });
}

function panels(): PanelSpec[] {
  const sqlOf = new Map(namedQueries().map((query) => [query.name, withRun(query)]));
  const of = (name: string): string => {
    const sql = sqlOf.get(name);
    if (sql === undefined) throw new Error(`the query ${name} is not shipped`);
    return `(\n${sql}\n)`;
  };
  const bars = (title: string, description: string, sql: string): PanelSpec => ({
    ...{ title, description, type: 'barchart', width: 12, isStacked: true },
    target: { kind: 'clickhouse', sql, isOverTime: false },
  });
  const hourly = (title: string, description: string, sql: string, unit = 'short'): PanelSpec => ({
    ...{ title, description, type: 'timeseries', width: 12, unit, isStacked: unit === 'short' },
    target: { kind: 'clickhouse', sql, isOverTime: true },
  });
  const rows = (title: string, description: string, sql: string): PanelSpec => ({
    ...{ title, description, type: 'table', width: 12 },
    target: { kind: 'clickhouse', sql, isOverTime: false },
  });
  const within = 'WHERE hour >= $__fromTime AND hour <= $__toTime';
  return [
    hourly(
      'Started, and what became of it',
      'Attempts by the hour in which they began, by the clock of their source.',
      `SELECT assumeNotNull(hour) AS time, sum(ready) AS ready, sum(rejected) AS rejected, sum(superseded) AS superseded, sum(open) AS open\nFROM ${of('flow')}\n${within}\nGROUP BY time ORDER BY time`,
    ),
    hourly(
      'Not trained, by reason',
      'Attempts by the hour in which they ended.',
      `SELECT assumeNotNull(hour) AS time, toString(reason) AS reason, sum(attempts) AS attempts\nFROM ${of('failures')}\n${within}\nGROUP BY time, reason ORDER BY time, reason`,
    ),
    bars(
      'Whose fault',
      'Attempts by who made them end as they did.',
      `SELECT toString(owner) AS owner, sum(attempts) AS attempts\nFROM ${of('fault_owners')}\nGROUP BY owner ORDER BY attempts DESC`,
    ),
    rows(
      'Why attempts end',
      'By environment, with the share of its attempts.',
      `SELECT env_name, reason, category, disposition, attempts, share\nFROM ${of('failure_share')}\nORDER BY attempts DESC`,
    ),
    rows(
      'Worst tasks',
      'Of which the largest share is not trained.',
      `SELECT env_name, task_id, attempts, failed, failed_share, mean_reward\nFROM ${of('worst_tasks')}\nLIMIT 50`,
    ),
    rows(
      'Audits',
      'Null: nothing could be audited.',
      `SELECT audit, pass, warn, fail, not_auditable, fail_rate, fail_low, fail_high\nFROM ${of('audit_results')}`,
    ),
    hourly(
      'Findings',
      'Share of the attempts looked at in which a class was found.',
      `SELECT assumeNotNull(hour) AS time, toString(class) AS class, max(rate) AS rate\nFROM ${of('drift_rates')}\n${within} AND class != ''\nGROUP BY time, class ORDER BY time, class`,
      'percentunit',
    ),
    hourly(
      'Wall clock by phase',
      'Mean of an attempt.',
      `SELECT assumeNotNull(hour) AS time, toString(phase) AS phase, avg(mean_ms) AS mean_ms\nFROM ${of('phases_over_time')}\n${within}\nGROUP BY time, phase ORDER BY time, phase`,
      'ms',
    ),
    rows('Who waits', 'Trainers for rollouts, or rollouts for trainers.', `SELECT *\nFROM ${of('waits')}`),
    bars(
      'Lag at training',
      'Trajectories by how many versions of the weights they were behind.',
      `SELECT ifNull(toString(lag), 'unknown') AS lag, sum(trajectories) AS trajectories\nFROM ${of('staleness_at_train')}\nGROUP BY lag ORDER BY lag`,
    ),
    rows('Groups', 'Complete, partial, and those whose rewards are all alike.', `SELECT *\nFROM ${of('group_health')}`),
    rows(
      'Bottleneck',
      'The layer that rollouts wait for.',
      `SELECT env_name, actor, sentence\nFROM ${of('bottleneck')}`,
    ),
  ];
}

/** Its SQL with the run that Grafana puts in; of its other parameters the presets. */
function withRun({ sql, params }: NamedQuery): string {
  return sql.replace(/\{(\w+) *: *([^}]+)\}/g, (_, name: string, type: string) => {
    if (name === 'run') return `\${run:sqlstring}`;
    const preset = params.find((param) => param.name === name)?.preset ?? '';
    return type.trim() === 'String' ? `'${preset}'` : preset;
  });
}
