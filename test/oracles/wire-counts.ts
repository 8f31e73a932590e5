import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../../src/config/package-file.ts';
import type { Importer } from '../../src/ingest/importer.ts';
import { eventsOf, only } from '../src/ingest/importers/imported.ts';

const run = promisify(execFile);

export interface Counts {
  readonly rollouts: number;
  readonly model_calls: number;
  readonly tool_results: number;
  readonly rewards: readonly number[];
}

/** What a script of this folder counts in lines, by itself. */
export async function countedBy(python: string, script: string, lines: readonly unknown[]): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-counts-'));
  try {
    const file = join(folder, 'lines.jsonl');
    await writeFile(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    return JSON.parse((await run(python, [packageFile('test', 'oracles', script), file])).stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the events of the same lines hold. */
export async function countsOf(importer: Importer, lines: readonly unknown[]): Promise<Counts> {
  const events = await eventsOf(importer, lines);
  const rewards = only(events, 'verdict').flatMap(({ verdict }) => Object.values(verdict?.rewards ?? {}));
  return {
    rollouts: only(events, 'start').length,
    model_calls: only(events, 'model_call').length,
    tool_results: only(events, 'tool_result').length,
    rewards: rewards.filter((reward) => reward !== null).sort((a, b) => a - b),
  };
}
