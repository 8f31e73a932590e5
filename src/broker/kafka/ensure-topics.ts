import { RollstreamError } from '../../errors.ts';
import type { TopicSpec } from '../port.ts';
import type { Nodes } from './nodes.ts';
import { refuseFaults } from './refuse-faults.ts';
import type { WantedTopic } from './topic-plan.ts';
import { createTopicPlanner } from './topic-planner.ts';
import type { Topics } from './topics.ts';

/** Creates what is missing, as it would be planned; refuses what exists and could lose records, naming the setting. */
export async function ensureTopics(
  specs: readonly TopicSpec[],
  deps: { readonly nodes: Nodes; readonly topics: Topics; readonly replicationFactor?: number },
): Promise<void> {
  for (const { name, partitions } of specs) {
    if (!Number.isInteger(partitions) || partitions < 1) {
      throw new RollstreamError('RS_CONFIG', `topic ${name} needs at least one partition, not ${partitions}`);
    }
  }
  const planner = createTopicPlanner(deps);
  const wanted = specs.map(
    (spec): WantedTopic => ({
      ...spec,
      // How long the others are kept, whoever configures the lanes has to know.
      retentionMs: spec.keptForever === true ? 'forever' : 0,
      takesAnyCount: false,
      replicationFactor: deps.replicationFactor ?? null,
    }),
  );
  const plan = await planner.plan(wanted);
  refuseFaults(plan);
  await planner.apply(plan);
  // Whoever created it: another process may have been first, with other settings.
  const created = wanted.filter(({ name }) => plan.some(({ topic, action }) => topic === name && action === 'create'));
  refuseFaults(await planner.plan(created));
}
