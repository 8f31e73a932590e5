import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  agentStep,
  base,
  continuation,
  MENDED,
  malformed,
  reply,
  summary,
  trajectory,
  trial,
  userStep,
} from '../../ingest/importers/atif-samples.ts';
import { cli } from '../test-io.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-audit-atif-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(value, null, 1));
  return path;
}

interface Finding {
  readonly audit: string;
  readonly class: string;
  readonly turn: number | null;
  readonly evidence?: { readonly text?: string };
}

async function toolFindings(path: string): Promise<readonly Finding[]> {
  const { findings }: { findings: readonly Finding[] } = JSON.parse((await cli(['audit', path, '--json'])).stdout);
  return findings.filter(({ audit }) => audit === 'tools');
}

it('a call that stands in the message alone, and that the loop could not read, is found and shown', async () => {
  const path = await written('malformed.trajectory.json', malformed);
  const [found] = await toolFindings(path);
  expect(found).toMatchObject({
    class: 'malformed',
    turn: 0,
    evidence: { text: expect.stringContaining('keystrokes') },
  });
  const { stdout } = await cli(['audit', path]);
  expect(stdout).toContain('a call: malformed: missing_field');
});

it('a reply that the loop mended and ran is a repair, though the trajectory has no call of it', async () => {
  const steps = [userStep(1), agentStep(2, reply(['ls\n']).slice(0, -1), MENDED), agentStep(3, reply([]), '$')];
  const found = await toolFindings(await written('mended.trajectory.json', trajectory(steps)));
  expect(found.map((one) => [one.class, one.turn])).toEqual([
    // Nobody says whether the sampler was stopped: that it is malformed is said when its turn ends.
    ['silent_repair', 0],
    ['malformed', 0],
  ]);
});

it('what a sub-agent says, which no parser reads, is no malformed call', async () => {
  await written('trial/agent/trajectory.json', base);
  await written('trial/agent/trajectory.cont-1.json', continuation);
  await written('trial/agent/trajectory.summarization-1-summary.json', summary);
  await written('trial/result.json', trial);
  expect(await toolFindings(join(folder, 'trial'))).toEqual([]);
});
