import type { Command } from 'commander';
import { openAccess } from '../../access/open-access.ts';
import { readBlame } from '../../blame/read-blame.ts';
import { blameText } from '../blame-text.ts';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { wholeNumber } from '../whole-number.ts';

const EXAMPLE = `
Which trajectories an optimizer step trained on, and by what they moved the weights: |advantage| × tokens in the loss, summed by
reason, finding, lag and task, beside the mean of the steps before. What has no advantage is counted apart, never as 0.

Example:
  $ rollstream blame --step 412
  $ rollstream blame --step 412 --run lr3e-6 --before 20 --json | jq '.by_reason[0]'`;

interface BlameFlags extends GlobalFlags {
  readonly step: number;
  readonly run?: string;
  readonly lineage?: number;
  readonly before: number;
}

export function addBlame(program: Command, run: Run): void {
  const command = program
    .command('blame')
    .description('what moved the weights in one optimizer step, and what of it is new')
    .requiredOption('--step <n>', 'step of the trainer', wholeNumber)
    .option('--run <id>', 'run (default the only one that has trained the step)')
    .option('--lineage <n>', "history of the run's trainer (default the one in force)", wholeNumber)
    .option('--before <n>', 'steps before it to compare with', wholeNumber, 10)
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: BlameFlags) =>
    run(flags, async (context) => {
      const access = await openAccess(context);
      try {
        const { step, before } = flags;
        const blame = await readBlame(access, {
          step,
          before,
          runId: flags.run ?? null,
          lineage: flags.lineage ?? null,
        });
        await context.out.write(
          context.flags.json === true ? `${JSON.stringify(blame)}\n` : blameText(blame, context.paint),
        );
      } finally {
        await access.close();
      }
      return 0;
    }),
  );
}
