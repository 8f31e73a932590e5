import type { TopicSpec } from '../broker/port.ts';

/** Names of the topics, prefix included. */
export interface TopicNames {
  readonly steps: string;
  readonly ready: string;
  readonly held: string;
  readonly rejected: string;
  readonly retries: string;
  readonly deadLetter: string;
  readonly policyVersions: string;
  readonly state: string;
  readonly leases: string;
}

export function topicNames(prefix: string): TopicNames {
  return {
    steps: `${prefix}rollout.steps`,
    ready: `${prefix}trajectories.ready`,
    held: `${prefix}trajectories.held`,
    rejected: `${prefix}trajectories.rejected`,
    retries: `${prefix}rollout.retries`,
    deadLetter: `${prefix}rollout.dead-letter`,
    policyVersions: `${prefix}policy.versions`,
    state: `${prefix}rollstream.state`,
    leases: `${prefix}ready.leases`,
  };
}

/** Consumer group of the lanes. */
export function laneGroup(prefix: string): string {
  return `${prefix}rollstream`;
}

/** Only rollout.steps scales by partitions: one partition of `ready` is what makes its order global. */
export function topicSpecs(prefix: string, stepPartitions: number): TopicSpec[] {
  const names = topicNames(prefix);
  const single = (name: string, compacted = false): TopicSpec => ({ name, partitions: 1, compacted });
  return [
    { name: names.steps, partitions: stepPartitions, compacted: false },
    single(names.ready),
    // How long a gate is closed is for people to decide.
    { ...single(names.held), keptForever: true },
    single(names.rejected),
    single(names.retries),
    single(names.deadLetter),
    // The order in which weights versions were announced is their age.
    { ...single(names.policyVersions), keptForever: true },
    single(names.state, true),
    single(names.leases, true),
  ];
}
