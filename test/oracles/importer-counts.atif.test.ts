import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { importFiles } from '../../src/ingest/import-files.ts';
import { findPython } from '../python-with.ts';
import { FOLDER } from '../src/ingest/importers/atif-samples.ts';

const python = await findPython();

async function importedFrom(folder: string): Promise<StepEventInit[]> {
  const events: StepEventInit[] = [];
  const report = await importFiles(
    [folder],
    {},
    {
      append: async (batch) => void events.push(...batch.map(({ event }) => event)),
      deadLetter: async ({ message }) => expect.unreachable(message),
      sourceEnded: async () => {},
    },
  );
  expect(report.refused).toBe(0);
  return events;
}

test.runIf(python !== null)('events of a folder hold what its documents hold, counted by Python', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-atif-'));
  try {
    for (const [name, value] of Object.entries(FOLDER)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value, null, 1));
    }
    const counter = packageFile('test/oracles/atif_counts.py');
    const { stdout } = await promisify(execFile)(python ?? '', [counter, folder]);
    const counted: unknown = JSON.parse(stdout);
    expect(counted).toEqual({ rollouts: 6, model_calls: 14, tool_results: 4, rewards: [0.5, 1] });

    const events = await importedFrom(folder);
    const of = (kind: string) => events.filter((event) => event.kind === kind).length;
    const rewards = events.flatMap(({ verdict }) => Object.values(verdict?.rewards ?? {}));
    expect({
      rollouts: new Set(events.map(({ run_id, rollout_id }) => `${run_id}/${rollout_id}`)).size,
      model_calls: of('model_call'),
      tool_results: of('tool_result'),
      rewards: rewards.sort((a, b) => (a ?? 0) - (b ?? 0)),
    }).toEqual(counted);
  } finally {
    await rm(folder, { recursive: true });
  }
});
