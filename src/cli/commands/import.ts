import { type Command, Option } from 'commander';
import type { Accounting } from '../../clickhouse/accounting.ts';
import { explainFile } from '../../ingest/explain/explain-file.ts';
import { type ImportOptions, PART_OF_ANOTHER } from '../../ingest/import-files.ts';
import type { ImportReport } from '../../ingest/import-report.ts';
import { inputFiles } from '../../ingest/input-files.ts';
import { accountingText } from '../accounting-text.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { mappingJson, mappingText } from '../mapping-text.ts';
import { openImportTarget } from '../open-import-target.ts';
import { runImport } from '../run-import.ts';
import { visible } from '../table.ts';
import { stopping } from '../until-stopped.ts';
import { wholeNumber, wholeNumberFrom1 } from '../whole-number.ts';

const EXAMPLE = `
A path is a file, a folder, a pattern or - (standard input), plain or .gz. Importing the same bytes again changes nothing.
What cannot be taken is told with file, line and field, and kept in rollout.dead-letter; then the exit code is 4.

Example:
  $ rollstream import runs/lr3e-6/*.jsonl
  $ rollstream import results.jsonl --run lr3e-6 --group-size 8 --json
  $ rollstream import results.jsonl --explain`;

interface ImportFlags extends GlobalFlags {
  readonly format: string;
  readonly run?: string;
  readonly env?: string;
  readonly epoch?: number;
  readonly purpose?: 'train' | 'eval' | 'synthesis';
  readonly groupSize?: number;
  readonly keepOpen?: boolean;
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  readonly wait?: boolean;
}

export function addImport(program: Command, run: Run): void {
  const command = program
    .command('import')
    .description('read files as step events into the log, and decide what can be decided')
    .argument('<path...>', 'files, folders, patterns, or -')
    .option('--format <name>', 'format of the files', 'auto')
    .option('--run <id>', 'run they belong to (default: the folder that holds the file)')
    .option('--env <name>', 'environment (default: as the source says)')
    .option('--epoch <n>', 'pass over the tasks (default 0)', wholeNumber)
    .addOption(new Option('--purpose <purpose>', 'what the run is for').choices(['train', 'eval', 'synthesis']))
    .option('--group-size <n>', 'rollouts in a group, where the source does not say', wholeNumberFrom1)
    .option('--keep-open', 'more is to come: do not close what has no end')
    .option('--wait', 'on Kafka: until the workers have decided what can be decided (a data folder: always)')
    .option('--dry-run', 'read and check everything, keep nothing')
    .option('--explain', 'keep nothing; say where each value of the first record goes')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((paths: string[], flags: ImportFlags) =>
    run(flags, async (context) => {
      if (flags.explain === true) return explain(paths, flags, context);
      const report = await importPaths(paths, flags, context);
      const text =
        context.flags.json === true ? jsonReport(report) : textReport(report, context, flags.dryRun === true);
      await context.out.write(text);
      return report.refused > 0 ? 4 : 0;
    }),
  );
}

/** 1: a value would be lost. */
async function explain(paths: string[], flags: ImportFlags, { out, flags: { json }, paint }: CommandContext) {
  const explained = await explainFile(paths, optionsOf(flags));
  await out.write(json === true ? mappingJson(explained) : mappingText(explained, paint));
  return explained.dropped.length > 0 ? 1 : 0;
}

interface Report extends ImportReport {
  readonly accounting: Accounting;
}

async function importPaths(paths: string[], flags: ImportFlags, context: CommandContext): Promise<Report> {
  // Before anything is opened: a slip in a path must not create a data folder.
  await inputFiles(paths);
  const { signal, forget } = stopping(context);
  const opened = flags.dryRun === true ? null : await openImportTarget(context, flags.wait === true);
  const target = opened?.target ?? null;
  try {
    const report = await runImport({ paths, options: optionsOf(flags), target, stopped: signal }, context);
    return { ...report, accounting: (await target?.accounting(null)) ?? { runs: [] } };
  } finally {
    await opened?.close();
    forget();
  }
}

function optionsOf({ format, run, env, epoch, purpose, groupSize, keepOpen, dryRun }: ImportFlags): ImportOptions {
  return {
    format,
    ...(run === undefined ? {} : { runId: run }),
    ...(env === undefined ? {} : { env }),
    ...(epoch === undefined ? {} : { epoch }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(groupSize === undefined ? {} : { groupSize }),
    ...(keepOpen === undefined ? {} : { keepOpen }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
}

export function jsonReport({ records_read, events, refused, accounting }: Omit<Report, 'files' | 'messages'>): string {
  return `${JSON.stringify({ records_read, events, refused, accounting })}\n`;
}

function textReport(report: Report, context: CommandContext, isDryRun: boolean): string {
  const files = report.files.map(({ path, format, why, lines, refused }) => {
    if (why === PART_OF_ANOTHER) return `${visible(path)}: ${why}`;
    const taken = format === null ? context.paint('yellow', 'not taken') : context.paint('bold', format);
    return `${visible(path)}: ${taken} (${visible(why)}), ${lines} lines, ${refused} refused`;
  });
  const sum = `${report.records_read} records, ${report.events} events, ${report.refused} refused`;
  const became = isDryRun ? 'a dry run: nothing was kept\n' : `\n${accountingText(report.accounting, context.paint)}`;
  return `${files.join('\n')}\n${sum}\n${became}`;
}
