import { pipelineHealth } from './pipeline-health.ts';
import { rolloutsDashboard } from './rollouts.ts';

/** Dashboards of infra/grafana/dashboards, by file name. */
export function dashboards(): ReadonlyMap<string, string> {
  const files = { 'pipeline-health.json': pipelineHealth(), 'rollouts.json': rolloutsDashboard() };
  return new Map(Object.entries(files).map(([name, dashboard]) => [name, `${JSON.stringify(dashboard, null, 2)}\n`]));
}
