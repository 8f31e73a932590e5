import type { Command } from 'commander';
import { runConformReport } from '../../conform/report/run-conform-report.ts';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const EXAMPLE = `
What the scripted engine sent is in its log; what the stack made of it is in its next prompts and, where given, in its own record:
a run that was recorded, or the file that the stack wrote. The exit code is 1 where something was laundered,
and where no task was asked for.

Example:
  $ rollstream conform report conform.jsonl --output results.jsonl
  $ rollstream conform report conform.jsonl --run my-stack --junit conform.xml`;

export interface ConformReportFlags extends GlobalFlags {
  readonly run?: string;
  readonly output?: readonly string[];
  readonly format: string;
  readonly junit?: string;
}

export function addConformReport(conform: Command, run: Run): void {
  const command = conform
    .command('report')
    .description('what a stack made of what the scripted engine sent: faithful, laundered or not observable')
    .argument('<log>', 'log of the engine (conform --log)')
    .option('--run <id>', 'run that holds what the stack recorded')
    .option('--output <path>', "the stack's own output: a file, a folder or a pattern; may be repeated", collect)
    .option('--format <name>', 'format of the output', 'auto')
    .option('--junit <file>', 'write JUnit XML too')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((log: string, flags: ConformReportFlags) =>
    run(flags, (context) => runConformReport(log, flags, context)),
  );
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
