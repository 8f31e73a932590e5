import type { Command } from 'commander';
import { openAccess } from '../../access/open-access.ts';
import type { Run } from '../context.ts';
import { explanationText } from '../explanation-text.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const EXAMPLE = `
What became of it and why, in a sentence; what would have made it train; then, for each attempt, why it ended, what the
verifiers said, the parts of the reward, the rule of the policy that decided with its line, group, weights, time, and steps.

Example:
  $ rollstream explain add-0-3
  $ rollstream explain add-0-3 --run lr3e-6 --json | jq -r '.rollouts[].summary'`;

export function addExplain(program: Command, run: Run): void {
  const command = program
    .command('explain')
    .description('everything decided about one rollout, and why')
    .argument('<rollout-id>', 'rollout_id')
    .option('--run <id>', 'only in this run')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((rolloutId: string, flags: GlobalFlags & { run?: string }) =>
    run(flags, async (context) => {
      const access = await openAccess(context);
      try {
        const explanation = await access.explain(rolloutId, flags.run ?? null);
        await context.out.write(
          context.flags.json === true
            ? `${JSON.stringify(explanation)}\n`
            : explanationText(explanation, context.paint),
        );
      } finally {
        await access.close();
      }
      return 0;
    }),
  );
}
