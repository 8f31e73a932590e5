import { expect, it } from 'vitest';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';

it('names all nine topics, with the prefix in front of each', () => {
  expect(Object.values(topicNames('a.'))).toEqual([
    'a.rollout.steps',
    'a.trajectories.ready',
    'a.trajectories.held',
    'a.trajectories.rejected',
    'a.rollout.retries',
    'a.rollout.dead-letter',
    'a.policy.versions',
    'a.rollstream.state',
    'a.ready.leases',
  ]);
  expect(topicSpecs('a.', 4).map(({ name }) => name)).toEqual(Object.values(topicNames('a.')));
});

it('gives partitions to the steps alone, and compacts state and leases alone', () => {
  const specs = topicSpecs('', 4);
  expect(specs.filter(({ partitions }) => partitions !== 1).map(({ name }) => name)).toEqual(['rollout.steps']);
  expect(specs.filter(({ compacted }) => compacted).map(({ name }) => name)).toEqual([
    'rollstream.state',
    'ready.leases',
  ]);
});
