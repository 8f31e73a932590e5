import type { Command } from 'commander';
import { GATE_STATES } from '../../../processors/model/gate.ts';
import { openAccess } from '../../access/open-access.ts';
import { suggestion } from '../../config/nearest.ts';
import { RollstreamError } from '../../errors.ts';
import type { GateChanged, GateWish } from '../../gate/set-gate.ts';
import type { CommandContext, Run } from '../context.ts';
import { gateText } from '../gate-text.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { visible } from '../table.ts';

const STATUS = `
Of each run: the state of its gate, since when and why, how many trajectories it holds, and the window against each limit.

Example:
  $ rollstream gate status --run lr3e-6
  $ rollstream gate status --json | jq -r '.gates[] | select(.state == "hold") | .run_id'`;
const RELEASE = `
Opens the gate of a run: what it held becomes ready, in order, and a new window begins, so that the same trajectories do not
trip it again. It also gives back to the limits what gate set had taken from them.

Example:
  $ rollstream gate release lr3e-6 --reason 'template was fixed'`;
const SET = `
Sets the gate of a run: preflight, open, warn, quarantine or hold. It stays so, whatever the limits say, until gate release; a
preflight ends by itself. Quarantine needs the classes of findings that it keeps back.

Example:
  $ rollstream gate set lr3e-6 hold --reason 'engine upgrade'
  $ rollstream gate set lr3e-6 quarantine --class coerced --class unknown_tool`;

/** `gate status|release|set`: docs/gate.md. */
export function addGate(program: Command, run: Run): void {
  const gate = program
    .command('gate')
    .description('what holds a run back from training: show, release, set')
    .helpCommand(false);
  addGlobalFlags(gate.command('status').description('the gate of each run').addHelpText('after', STATUS))
    .option('--run <id>', 'only this run')
    .action((flags: GlobalFlags & { run?: string }) =>
      run(flags, async (context) => {
        const access = await openAccess(context);
        try {
          const gates = await access.gates(flags.run ?? null);
          await context.out.write(
            context.flags.json === true ? `${JSON.stringify({ gates })}\n` : gateText(gates, context.paint),
          );
          return 0;
        } finally {
          await access.close();
        }
      }),
    );
  addGlobalFlags(gate.command('release').description('open the gate of a run').addHelpText('after', RELEASE))
    .argument('<run>', 'run_id')
    .option('--reason <text>', 'kept with the change')
    .action((runId: string, flags: GlobalFlags & { reason?: string }) =>
      run(flags, (context) => change(context, runId, { wish: 'release', reason: flags.reason ?? null })),
    );
  addGlobalFlags(
    gate.command('set').description('set the gate of a run until it is released').addHelpText('after', SET),
  )
    .argument('<run>', 'run_id')
    .argument('<state>', GATE_STATES.join(', '))
    .option('--class <name...>', 'class of findings that quarantine keeps back')
    .option('--reason <text>', 'kept with the change')
    .action((runId: string, named: string, flags: GlobalFlags & { class?: string[]; reason?: string }) =>
      run(flags, (context) => {
        const state = GATE_STATES.find((name) => name === named);
        if (state === undefined)
          throw new RollstreamError(
            'RS_USAGE',
            `${named} is not a state of a gate${suggestion(named, GATE_STATES)}: ${GATE_STATES.join(', ')} are`,
          );
        return change(context, runId, {
          ...{ wish: 'set', state, classes: flags.class ?? [], reason: flags.reason ?? null },
        });
      }),
    );
}

async function change(context: CommandContext, runId: string, wish: GateWish): Promise<number> {
  const access = await openAccess(context);
  try {
    const changed = await access.setGate(runId, wish);
    await context.out.write(context.flags.json === true ? `${JSON.stringify(changed)}\n` : changedText(changed, wish));
    return 0;
  } finally {
    await access.close();
  }
}

function changedText({ run_id, state, before, changed, classes }: GateChanged, wish: GateWish): string {
  const run = visible(run_id);
  if (changed) {
    const named = classes.length === 0 ? '' : ` of ${classes.join(', ')}`;
    return `the gate of ${run} is ${state}${named} from here on (before: ${before})\n`;
  }
  return wish.wish === 'release'
    ? `the gate of ${run} is ${before}: there is nothing to release\n`
    : `the gate of ${run} was set so before: nothing changed\n`;
}
