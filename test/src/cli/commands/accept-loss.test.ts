import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../../../src/config/package-file.ts';
import { cli } from '../test-io.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-accept-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('accepts nothing where nothing is missing', async () => {
  const example = packageFile('examples', 'rollouts', 'recipe-strands', 'results.jsonl');
  expect((await cli(['import', example, '--data', folder])).code).toBe(0);
  const { code, stdout } = await cli(['accept-loss', 'rollout.steps/0/7', '--data', folder]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'rollout.steps/0: nothing is missing\n' });
});

it.each([
  ['rollout.steps/0', 'topic/partition/offset'],
  ['trajectories.ready/0/5', 'rollout.steps has'],
])('%s names no lane', async (lane, advice) => {
  const { code, stderr } = await cli(['accept-loss', lane, '--data', folder]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(advice) });
});
