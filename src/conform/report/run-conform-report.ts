import { resolve } from 'node:path';
import type { ConformReportFlags } from '../../cli/commands/conform-report.ts';
import type { CommandContext } from '../../cli/context.ts';
import { readTruth } from './read-truth.ts';

/** Reads both sides, writes the reports and answers with the exit code. */
export async function runConformReport(
  log: string,
  _flags: ConformReportFlags,
  { io, out }: CommandContext,
): Promise<number> {
  const calls = await readTruth(resolve(io.cwd, log));
  await out.write(`${calls.length} calls\n`);
  return 0;
}
