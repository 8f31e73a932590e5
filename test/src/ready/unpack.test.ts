import { expect, it } from 'vitest';
import { unpackTrajectory } from '../../../src/ready/unpack.ts';
import { sampleTrajectory } from './sample-trajectory.ts';

it('unpacks ids as unsigned, masks as 0 and 1, and logprobs as the very float32s', () => {
  const [segment] = unpackTrajectory(sampleTrajectory()).segments;
  expect(segment?.token_ids).toEqual([1, 151_645, 4_294_967_295]);
  expect(segment?.sampled_mask).toEqual([0, 1, 1]);
  expect(segment?.loss_mask).toEqual([0, 1, 0]);
  expect(segment?.logprobs).toEqual([0, Math.fround(-0.1), -2]);
});

it('survives JSON without a bit changed', () => {
  const unpacked = unpackTrajectory(sampleTrajectory());
  expect(JSON.parse(JSON.stringify(unpacked))).toEqual(unpacked);
});

it('has null, not zeros, where the source has no logprobs', () => {
  const trajectory = sampleTrajectory();
  const segments = trajectory.segments.map((segment) => ({ ...segment, logprobs: null }));
  expect(unpackTrajectory({ ...trajectory, segments }).segments[0]?.logprobs).toBeNull();
});

it('keeps null rewards null, and task metadata as the text it was', () => {
  const unpacked = unpackTrajectory(sampleTrajectory());
  expect(unpacked.reward).toBeNull();
  expect(unpacked.task_metadata).toBe('{"id":12345678901234567890}');
});
