import type { Command } from 'commander';
import { ofKnownRun } from '../../access/known-run.ts';
import { openAccess } from '../../access/open-access.ts';
import { accountingText } from '../accounting-text.ts';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const EXAMPLE = `
Every attempt that started is ready, rejected (by reason), open, lost or superseded; what is ready is queued, leased, trained,
expired, undeliverable or rejected by the trainer. Exit code 1 when that does not add up.

Example:
  $ rollstream accounting --data rollstream-example
  $ rollstream accounting --run lr3e-6 --json | jq '.runs[0].rejected'`;

export function addAccounting(program: Command, run: Run): void {
  const command = program
    .command('accounting')
    .description('the accounting identity, per run; exit code 1 where it does not balance')
    .option('--run <id>', 'only this run')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: GlobalFlags & { run?: string }) =>
    run(flags, async (context) => {
      const access = await openAccess(context);
      try {
        const runId = flags.run ?? null;
        const accounting = ofKnownRun(await access.accounting(runId), runId);
        await context.out.write(
          context.flags.json === true ? `${JSON.stringify(accounting)}\n` : accountingText(accounting, context.paint),
        );
        return accounting.runs.every(({ balanced }) => balanced) ? 0 : 1;
      } finally {
        await access.close();
      }
    }),
  );
}
