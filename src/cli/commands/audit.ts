import type { Command } from 'commander';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { runAudit } from '../run-audit.ts';
import { stopping } from '../until-stopped.ts';
import { wholeNumber, wholeNumberFrom1 } from '../whole-number.ts';

const EXAMPLE = `
A path is a file, a folder, a pattern or - (standard input), plain or .gz. Nothing is stored. The exit code is 1 when the gate
trips, 4 when it does not and some input was refused.

Example:
  $ rollstream audit runs/lr3e-6 --tokenizer models/Qwen3-4B
  $ rollstream audit results.jsonl --fail-on 'pipeline_drift>0' --fail-on 'unknown_reasons>1%'
  $ rollstream audit 'runs/**/*.jsonl.gz' --sample 2000 --seed 7 --html audit.html --junit audit.xml`;

export interface AuditFlags extends GlobalFlags {
  readonly format: string;
  readonly run?: string;
  readonly env?: string;
  readonly epoch?: number;
  readonly tokenizer?: readonly string[];
  readonly policy?: string;
  readonly failOn?: readonly string[];
  readonly sample?: number;
  readonly seed?: string;
  readonly junit?: string;
  readonly html?: string;
}

export function addAudit(program: Command, run: Run): void {
  const command = program
    .command('audit')
    .description('audit rollout files before a run: tokens, template, tool calls, endings, numbers, wall clock')
    .argument('<path...>', 'files, folders, patterns, or -')
    .option('--format <name>', 'format of the files', 'auto')
    .option('--tokenizer <dir>', 'folder with tokenizer.json; repeat it for records that name theirs', collect)
    .option('--policy <file>', 'policy whose gate judges (default: the configured one, else the shipped default)')
    .option('--fail-on <limit>', "a limit such as 'pipeline_drift>0'; without --policy, the only ones", collect)
    .option('--sample <n>', 'look at n trajectories, drawn by a hash', wholeNumberFrom1)
    .option('--seed <s>', 'seed of the sample (default 0)')
    .option('--junit <file>', 'write JUnit XML too')
    .option('--html <file>', 'write a page too')
    .option('--run <id>', 'run they belong to (default: the folder that holds the file)')
    .option('--env <name>', 'environment (default: as the source says)')
    .option('--epoch <n>', 'pass over the tasks (default 0)', wholeNumber)
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((paths: string[], flags: AuditFlags) =>
    run(flags, async (context) => {
      const { signal, forget } = stopping(context);
      try {
        return await runAudit(paths, flags, context, signal);
      } finally {
        forget();
      }
    }),
  );
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
