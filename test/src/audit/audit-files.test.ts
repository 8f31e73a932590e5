import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AttemptReport } from '../../../src/audit/attempt-report.ts';
import { type EngineSettings, openAuditEngine } from '../../../src/audit/audit-engine.ts';
import { auditFiles } from '../../../src/audit/audit-files.ts';
import { createAuditIntake } from '../../../src/audit/audit-intake.ts';
import { type BlockRunner, createLocalRunner } from '../../../src/audit/block-runner.ts';
import { createWorkerRunner } from '../../../src/audit/worker-runner.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { readDocumentFile } from '../../../src/lanes/read-document.ts';

const rollouts = packageFile('examples/rollouts');
/** Lines that are whole rollouts, which any thread may take, and events that belong together, which stay with one. */
const examples = ['calculator-strands', 'files-events', 'kv-nemo'].map((name) => join(rollouts, name));

let folder = '';
let nameless = '';
let settings: EngineSettings;
/** A thread costs seconds of its processor before its first line: they are started once, and most lines are a block of their own. */
let byThreads: Awaited<ReturnType<typeof audited>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-audit-'));
  const taxonomy = await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml'));
  settings = { taxonomy, reorderEvents: 256, tokenizerFolders: [], sample: null };
  const line = JSON.parse((await readFile(join(rollouts, 'kv-nemo', 'rollouts.jsonl'), 'utf8')).split('\n')[0] ?? '');
  const { _ng_task_index: _task, _ng_rollout_index: _rollout, ...without } = line;
  nameless = join(folder, 'nameless.jsonl');
  await writeFile(nameless, `${JSON.stringify(without)}\n`.repeat(3));
  byThreads = await audited([nameless, ...examples], async () => createWorkerRunner(settings, 2), 2_000);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const local = async (): Promise<BlockRunner> => createLocalRunner(await openAuditEngine(settings));

async function audited(paths: string[], openRunner: () => Promise<BlockRunner>, blockBytes?: number) {
  const reports: AttemptReport[] = [];
  const messages: string[] = [];
  const intake = createAuditIntake({
    sample: null,
    message: (text) => messages.push(text),
    attempt: async (report) => {
      reports.push(report);
    },
  });
  const stopped = new AbortController().signal;
  const deps = { intake, openRunner, progress: () => undefined, stdin: process.stdin, stopped };
  await auditFiles(paths, {}, blockBytes === undefined ? deps : { ...deps, blockBytes });
  return { reports, messages, counts: intake.counts() };
}

it('tells the same, in the same order, from threads that take a few lines at a time', async () => {
  const here = await audited([nameless, ...examples], local);
  const names = ({ reports }: typeof here) => reports.map(({ rolloutId, attempt }) => `${rolloutId} ${attempt}`);
  expect(names(byThreads)).toEqual(names(here));
  expect(byThreads).toEqual(here);
});

it('an aborted line and the one that retries it are two attempts, though different threads read them', () => {
  const { reports, counts } = byThreads;
  const tank = reports.filter(({ rolloutId }) => rolloutId === 'tank-77_5').map(({ attempt, code }) => [attempt, code]);
  expect(tank).toEqual([
    [0, 'llm_error'],
    [1, 'task_complete'],
  ]);
  expect(counts).toMatchObject({ repeated: 1, refused: 1 });
});

it('equal lines without an id are rollouts of their own, numbered over the whole file', () => {
  const own = byThreads.reports.filter(({ rolloutId }) => /^[0-9a-f]{64}\./.test(rolloutId));
  expect(own.map(({ rolloutId, line: at }) => [rolloutId.slice(64), at])).toEqual([
    ['.0', 1],
    ['.1', 2],
    ['.2', 3],
  ]);
});

it('a torn last line is told, and an attempt without its end has lost its worker', async () => {
  const file = join(folder, 'torn.jsonl');
  await writeFile(file, '{"kind":"start","rollout_id":"r","seq":0,"start":{}}\n{"kind":"mo');
  const { reports, messages } = await audited([file], local);
  expect(reports.map(({ rolloutId, code }) => [rolloutId, code])).toEqual([['r', 'worker_lost']]);
  expect(messages).toEqual([expect.stringContaining('torn.jsonl:2: torn last line')]);
});
