import { type Command, InvalidArgumentError } from 'commander';
import type { Access } from '../../access/access.ts';
import { openAccess, ownerClient } from '../../access/open-access.ts';
import { RollstreamError } from '../../errors.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { readyLine } from '../ready-line.ts';

const EXAMPLE = `
JSON Lines, in ready order; on a terminal a short line each (--json for the whole).

Example:
  $ rollstream ready --run lr3e-6 --limit 8 > batch.jsonl
  $ rollstream ready --follow | python train.py`;

const PAGE = 256;
const FOLLOW_WAIT_MS = 10_000;

interface ReadyFlags extends GlobalFlags {
  readonly run?: string;
  readonly group?: string;
  readonly limit?: number;
  readonly from: number;
  readonly follow?: boolean;
}

export function addReady(program: Command, run: Run): void {
  const command = program
    .command('ready')
    .description('ready trajectories in ready order, JSON Lines')
    .option('--run <id>', 'only this run')
    .option('--group <id>', 'only this group')
    .option('--limit <n>', 'at most so many', wholeNumber)
    .option('--from <offset>', 'begin at this offset of the ready topic', wholeNumber, 0)
    .option('--follow', 'wait for more until Ctrl-C')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: ReadyFlags) =>
    run(flags, async (context) => {
      const { services } = context.config;
      if (flags.follow === true && services === null && (await ownerClient(context.config)) === null) {
        const why = `nothing runs on ${context.config.data}: start \`rollstream up\` to have something to follow`;
        throw new RollstreamError('RS_SERVER_UNREACHABLE', why);
      }
      const access = await openAccess(context);
      try {
        await printReady(access, flags, context);
      } finally {
        await access.close();
      }
      return 0;
    }),
  );
}

async function printReady(access: Access, flags: ReadyFlags, context: CommandContext): Promise<void> {
  const stopped = new AbortController();
  const forget = context.io.onStop(() => stopped.abort());
  const brief = context.io.stdoutIsTerminal && context.flags.json !== true;
  let next = flags.from;
  let left = flags.limit ?? Number.POSITIVE_INFINITY;
  try {
    while (left > 0 && !stopped.signal.aborted) {
      const page = await access.ready({
        from: next,
        limit: Math.min(left, PAGE),
        runId: flags.run ?? null,
        groupId: flags.group ?? null,
        waitMs: flags.follow === true ? FOLLOW_WAIT_MS : 0,
        signal: stopped.signal,
      });
      for (const trajectory of page.trajectories) {
        await context.out.write(
          brief ? `${readyLine(trajectory, context.paint)}\n` : `${JSON.stringify(trajectory)}\n`,
        );
      }
      left -= page.trajectories.length;
      next = page.next;
      if (page.atEnd && flags.follow !== true) break;
    }
  } finally {
    forget();
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}
