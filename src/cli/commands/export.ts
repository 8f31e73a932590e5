import { access as accessFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Access } from '../../access/access.ts';
import { openAccess } from '../../access/open-access.ts';
import { makeFolder } from '../../config/make-folder.ts';
import { RollstreamError } from '../../errors.ts';
import { exportFileName } from '../../export/export-file-name.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../export/export-query.ts';
import { type WrittenExport, writeExport } from '../../export/write-export.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { visible } from '../table.ts';
import { stopping } from '../until-stopped.ts';

const EXAMPLE = `
One file a run, in the order in which its trajectories were decided:
  parquet   all that is known of a trajectory, a row each
  jsonl     a line each, as \`ready --json\` prints it
  messages  a conversation a line, {messages, tools, metadata}; a rollout that is none is left out, and counted

Example:
  $ rollstream export --out exports
  $ rollstream export --out sft --run lr3e-6 --format messages`;

interface ExportFlags extends GlobalFlags {
  readonly out: string;
  readonly run?: string;
  readonly format: ExportFormat;
  readonly all?: boolean;
  readonly force?: boolean;
}

interface ExportedRun extends WrittenExport {
  readonly run_id: string;
}

export function addExport(program: Command, run: Run): void {
  const command = program
    .command('export')
    .description('ready trajectories as files, one a run')
    .requiredOption('--out <dir>', 'folder of the files; made where it is not there')
    .option('--run <id>', 'only this run')
    .addOption(new Option('--format <format>', 'what is in them').choices(EXPORT_FORMATS).default('parquet'))
    .option('--all', 'everything that was decided, also what was not trained')
    .option('--force', 'replace files that are there')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: ExportFlags) =>
    run(flags, async (context) => {
      const access = await openAccess(context);
      try {
        await exportRuns(access, flags, context);
      } finally {
        await access.close();
      }
      return 0;
    }),
  );
}

async function exportRuns(access: Access, flags: ExportFlags, context: CommandContext): Promise<void> {
  const { format, all = false } = flags;
  const folder = resolve(context.io.cwd, flags.out);
  const runs = flags.run === undefined ? (await access.runs()).map(({ run_id }) => run_id).sort() : [flags.run];
  const pathOf = (runId: string) => join(folder, exportFileName(runId, format));
  // Before anything is written: half of the runs would be no export.
  if (flags.force !== true) for (const runId of runs) await refuseExisting(pathOf(runId));
  await makeOut(folder);
  const { signal, forget } = stopping(context);
  const done: ExportedRun[] = [];
  try {
    for (const runId of runs) {
      const exported = await access.export({ runId, format, all }).catch((error: unknown) => {
        // Of several runs one may have decided nothing yet; the one that was asked for may not.
        if (flags.run === undefined && error instanceof RollstreamError && error.code === 'RS_NOT_FOUND') return null;
        throw error;
      });
      const written =
        exported === null
          ? { path: null, trajectories: 0, left_out: {} }
          : await writeExport(exported, { path: pathOf(runId), format, signal });
      done.push({ run_id: runId, ...written });
      tell(runId, written, context);
    }
  } finally {
    forget();
  }
  if (context.flags.json === true) await context.out.write(`${JSON.stringify({ runs: done })}\n`);
  else for (const { path } of done) if (path !== null) await context.out.write(`${visible(path)}\n`);
}

function tell(runId: string, { path, trajectories, left_out }: WrittenExport, { say }: CommandContext): void {
  const count = `${trajectories} ${trajectories === 1 ? 'trajectory' : 'trajectories'}`;
  say(visible(path === null ? `${runId}: nothing to export` : `${runId}: ${count}`));
  for (const [reason, n] of Object.entries(left_out)) say(visible(`${runId}: left out ${n}: ${reason}`));
}

async function refuseExisting(path: string): Promise<void> {
  const isThere = await accessFile(path).then(
    () => true,
    () => false,
  );
  if (isThere)
    throw new RollstreamError('RS_USAGE', `${path} is there already: --force replaces it`, { facts: { file: path } });
}

async function makeOut(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw new RollstreamError('RS_USAGE', `--out ${folder}: no folder can be made there`, { cause });
  }
}
