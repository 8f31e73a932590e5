import { resolve } from 'node:path';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { openAccess } from '../../access/open-access.ts';
import { openReportFile } from '../../audit/report/report-file.ts';
import type { ConformReportFlags } from '../../cli/commands/conform-report.ts';
import type { CommandContext } from '../../cli/context.ts';
import { visible } from '../../cli/table.ts';
import { RollstreamError } from '../../errors.ts';
import { taxonomyText } from '../../lanes/documents.ts';
import { mustRead } from '../../lanes/read-document.ts';
import { conformReport } from './conform-report.ts';
import { readOutput } from './read-output.ts';
import { readRun } from './read-run.ts';
import { readTruth } from './read-truth.ts';
import type { RecordedRollout } from './recorded-rollout.ts';
import { reportText } from './report-text.ts';
import { writeJunit } from './write-junit.ts';

/** Reads both sides, writes the reports and answers with the exit code. */
export async function runConformReport(
  log: string,
  flags: ConformReportFlags,
  context: CommandContext,
): Promise<number> {
  const { io, out, paint } = context;
  if (flags.run !== undefined && flags.output !== undefined)
    throw new RollstreamError('RS_USAGE', '--run and --output: a report judges one record at a time');
  const logPath = resolve(io.cwd, log);
  const junit = flags.junit === undefined ? null : await openReportFile(resolve(io.cwd, flags.junit), [logPath]);
  try {
    const truth = await readTruth(logPath);
    const report = conformReport(truth, await recordsOf(flags, context));
    if (junit !== null) {
      await writeJunit(report, junit);
      await junit.keep();
    }
    await out.write(
      context.flags.json === true
        ? `${JSON.stringify({ engine: truth.head, ...report })}\n`
        : reportText(report, paint),
    );
    return report.laundered > 0 || report.nothingAsked !== null ? 1 : 0;
  } catch (error) {
    await junit?.discard();
    throw error;
  }
}

/** null: none was named. */
async function recordsOf(flags: ConformReportFlags, context: CommandContext): Promise<RecordedRollout[] | null> {
  const { config, io } = context;
  const taxonomy = mustRead(await taxonomyText(config.lanes), readTaxonomy).value;
  if (flags.output !== undefined) {
    const message = (text: string) => context.warn(visible(text));
    return readOutput(flags.output, flags.format, { taxonomy, stdin: io.stdin, message });
  }
  if (flags.run === undefined) return null;
  const access = await openAccess(context);
  try {
    return await readRun(access, flags.run, taxonomy);
  } finally {
    await access.close();
  }
}
