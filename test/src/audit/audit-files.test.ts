import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AttemptReport } from '../../../src/audit/attempt-report.ts';
import { type EngineSettings, openAuditEngine } from '../../../src/audit/audit-engine.ts';
import { auditFiles } from '../../../src/audit/audit-files.ts';
import { createAuditIntake } from '../../../src/audit/audit-intake.ts';
import { type BlockRunner, createLocalRunner } from '../../../src/audit/block-runner.ts';
import { createWorkerRunner } from '../../../src/audit/worker-runner.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { readDocumentFile } from '../../../src/lanes/read-document.ts';

vi.setConfig({ testTimeout: 60_000 });

let folder = '';
let settings: EngineSettings;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-audit-'));
  const taxonomy = await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml'));
  settings = { taxonomy, reorderEvents: 256, tokenizerFolders: [], sample: null };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const local = async (): Promise<BlockRunner> => createLocalRunner(await openAuditEngine(settings));
const threads = async (): Promise<BlockRunner> => createWorkerRunner(settings, 2);

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

const rollouts = packageFile('examples/rollouts');

it('tells the same, in the same order, from threads that take a few lines at a time', async () => {
  const [one, other] = [await audited([rollouts], threads, 2_000), await audited([rollouts], local)];
  const names = ({ reports }: typeof one) => reports.map(({ rolloutId, attempt }) => `${rolloutId} ${attempt}`);
  expect(names(one)).toEqual(names(other));
  expect(one).toEqual(other);
});

it('an aborted line and the one that retries it are two attempts, though different threads read them', async () => {
  const { reports, counts } = await audited([join(rollouts, 'calculator-strands', 'results.jsonl')], threads, 1);
  const tank = reports.filter(({ rolloutId }) => rolloutId === 'tank-77_5').map(({ attempt, code }) => [attempt, code]);
  expect(tank).toEqual([
    [0, 'llm_error'],
    [1, 'task_complete'],
  ]);
  expect(counts).toMatchObject({ repeated: 1, refused: 1 });
});

it('equal lines without an id are rollouts of their own, numbered over the whole file', async () => {
  const line = JSON.parse((await readFile(join(rollouts, 'kv-nemo', 'rollouts.jsonl'), 'utf8')).split('\n')[0] ?? '');
  const { _ng_task_index: _task, _ng_rollout_index: _rollout, ...nameless } = line;
  const file = join(folder, 'nameless.jsonl');
  await writeFile(file, `${JSON.stringify(nameless)}\n`.repeat(3));
  const { reports } = await audited([file], threads, 1);
  expect(reports.map(({ rolloutId, line: at }) => [rolloutId.slice(64), at])).toEqual([
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
