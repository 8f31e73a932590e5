import { type Command, Option } from 'commander';
import type { RunQuota } from '../../runs/quota.ts';
import { PURPOSES, type Purpose } from '../../runs/run-state.ts';
import type { RunSummary, Runs } from '../../runs/runs.ts';
import { checkedName } from '../../server/request-value.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { openRunList, openRuns } from '../open-runs.ts';
import { removedText, runsText } from '../runs-text.ts';
import { visible } from '../table.ts';
import { wholeNumberFrom1 } from '../whole-number.ts';

const LIST = `
Every run that is known: its state, what started, what is ready and what is open. Archived and deleted ones are among them.

Example:
  $ rollstream runs
  $ rollstream runs list --json | jq -r '.runs[] | select(.state == "archived") | .run_id'`;
const CREATE = `
No run has to be created: one comes to be by its first event. This says what it is for, or gives it a quota before anything of it
comes. The name of a deleted run is taken again by this alone.

Example:
  $ rollstream runs create lr3e-6 --purpose train --note 'the second try' --events-per-second 2000`;
const ARCHIVE = `
From here on the run takes no new events and gives out no leases. What it has stays, and is found as before.

Example:
  $ rollstream runs archive lr3e-6`;
const UNARCHIVE = `
Example:
  $ rollstream runs unarchive lr3e-6`;
const QUOTA = `
What is left out is as it is configured (limits.run_events_per_second, limits.run_in_flight).

Example:
  $ rollstream runs quota lr3e-6 --events-per-second 500`;
const DELETE = `
Removes the run from every table, with the blobs that only it refers to, and makes delivery forget it. It cannot be undone. While
attempts are open, leases out, or a run lives that was forked from it, --force is needed: what is open is closed first. What was
written to topics stays there until their retention.

Example:
  $ rollstream runs delete lr3e-6 --confirm lr3e-6`;

interface QuotaFlags extends GlobalFlags {
  readonly eventsPerSecond?: number;
  readonly inFlightBytes?: number;
}

/** `runs list|create|archive|unarchive|quota|delete`: docs/runs.md. */
export function addRuns(program: Command, run: Run): void {
  const runs = program
    .command('runs')
    .description('the runs: list, create, archive, give a quota, delete with their data')
    .helpCommand(false);
  const add = (name: string, description: string, help: string, options = {}) =>
    addGlobalFlags(runs.command(name, options).description(description).addHelpText('after', help));
  const addChange = (name: string, description: string, help: string) =>
    add(name, description, help).argument('<run>', 'run_id');
  const withQuota = (command: Command) =>
    command
      .option('--events-per-second <n>', 'events that it may send over HTTP, over time', wholeNumberFrom1)
      .option('--in-flight-bytes <n>', 'memory that its bodies may take while they are read', wholeNumberFrom1);

  add('list', 'every run that is known', LIST, { isDefault: true }).action((flags: GlobalFlags) =>
    run(flags, (context) => list(context)),
  );
  withQuota(addChange('create', 'declare a run', CREATE))
    .addOption(new Option('--purpose <purpose>', 'what the run is for').choices(PURPOSES))
    .option('--note <text>', 'for people')
    .action((runId: string, flags: QuotaFlags & { readonly purpose?: Purpose; readonly note?: string }) => {
      const { purpose = null, note = '' } = flags;
      return run(flags, (context) =>
        change(context, runId, 'is created', (all) => all.create(runId, { purpose, note, quota: quotaOf(flags) }, '')),
      );
    });
  addChange('archive', 'take no new events from here on', ARCHIVE).action((runId: string, flags: GlobalFlags) =>
    run(flags, (context) => change(context, runId, 'is archived', (all) => all.archive(runId, ''))),
  );
  addChange('unarchive', 'take events again', UNARCHIVE).action((runId: string, flags: GlobalFlags) =>
    run(flags, (context) => change(context, runId, 'is active', (all) => all.unarchive(runId, ''))),
  );
  withQuota(addChange('quota', 'what the run may send', QUOTA)).action((runId: string, flags: QuotaFlags) =>
    run(flags, (context) => change(context, runId, 'has its quota', (all) => all.setQuota(runId, quotaOf(flags), ''))),
  );
  addChange('delete', 'remove the run with its data', DELETE)
    .option('--confirm <run>', 'the name of the run once more')
    .option('--force', 'also while it is in use')
    .action((runId: string, flags: GlobalFlags & { readonly confirm?: string; readonly force?: boolean }) =>
      run(flags, (context) => remove(context, runId, { confirm: flags.confirm ?? '', isForced: flags.force === true })),
    );
}

function quotaOf({ eventsPerSecond, inFlightBytes }: QuotaFlags): RunQuota {
  return { eventsPerSecond: eventsPerSecond ?? null, inFlightBytes: inFlightBytes ?? null };
}

async function list(context: CommandContext): Promise<number> {
  const opened = await openRunList(context);
  try {
    const runs = await opened.list();
    const { out, flags, paint } = context;
    await out.write(flags.json === true ? `${JSON.stringify({ runs })}\n` : runsText(runs, paint));
    return 0;
  } finally {
    await opened.close();
  }
}

function change(
  context: CommandContext,
  runId: string,
  what: string,
  make: (runs: Runs) => Promise<RunSummary>,
): Promise<number> {
  return told(context, runId, make, () => `run ${visible(runId)} ${what}\n`);
}

function remove(
  context: CommandContext,
  runId: string,
  removal: { readonly confirm: string; readonly isForced: boolean },
): Promise<number> {
  return told(context, runId, (runs) => runs.remove(runId, removal, ''), removedText);
}

async function told<Done>(
  context: CommandContext,
  runId: string,
  make: (runs: Runs) => Promise<Done>,
  textOf: (done: Done) => string,
): Promise<number> {
  checkedName(runId, 'run');
  const runs = await openRuns(context);
  try {
    const done = await make(runs);
    await context.out.write(context.flags.json === true ? `${JSON.stringify(done)}\n` : textOf(done));
    return 0;
  } finally {
    await runs.close();
  }
}
