import { type Command, Option } from 'commander';
import type { Run } from '../context.ts';
import { durationFlag } from '../duration-flag.ts';
import { addGlobalFlags } from '../global-flags.ts';
import type { ReplayFlags } from '../replay-flags.ts';
import { runReplayCommand } from '../run-replay-command.ts';
import { wholeNumberFrom1 } from '../whole-number.ts';

const EXAMPLE = `
Without --save or --emit there is a report of what would change; only answers of the verifier are kept. A time is ISO 8601, UTC
where it has no zone; an offset is a whole number, or P:OFFSET for one partition alone; a unit belongs to a stretch by when the log
took its first record. A policy is a file, the name of a shipped one, or the beginning of an id. A verifier runs on this machine, also
where a server does the rest (how it is asked: rollstream verify --help); a reward is the sum over all scorers, so it replaces only
verdicts under its own name. Ctrl-C cancels. Undo: no change, --late ignore, --against what is to be undone.
The exit code is 4 when some rollouts could not be replayed: the report says which, and why.

Example:
  $ rollstream replay --run lr3e-6 --policy strict
  $ rollstream replay --run lr3e-6 --policy my-policy.yaml --save --label 'less harsh' --html replay.html
  $ rollstream replay --run lr3e-6 --verifier 'python3 verifier.py' --emit
  $ rollstream replay --from 2026-11-28 --to 2026-11-30 --verifier exact --scorer judge
  $ rollstream replay --taxonomy taxonomy.yaml --where "reason_code = 'unknown'" --emit
  $ rollstream replay --run lr3e-6 --against 20261130T105351-4b815ab1 --late ignore --emit
  $ rollstream replay --list`;

/** `replay`: docs/replay.md. */
export function addReplay(program: Command, run: Run): void {
  const timeout = durationFlag('timeout', { min: '100ms', max: '24h', preset: '1m' });
  const command = program
    .command('replay')
    .description('score again what was decided: by another policy, taxonomy or verifier; say what changes')
    .option('--run <id...>', 'only these runs (default: all)')
    .option('--from <place>', 'from this time or offset on')
    .option('--to <place>', 'up to this time or offset')
    .option('--where <condition>', 'only units of which a decision meets it: SQL on columns of live_decisions')
    .option('--policy <policy>', 'file, name or id (default: the one that decided then)')
    .option('--taxonomy <file>', 'file (default: the one that decided then)')
    .option('--verifier <verifier>', 'command, URL (with --verifier-version), exact or numeric:TOL that judges anew')
    .option(
      '--scorer <name>',
      'whose verdicts the verifier replaces (default: as it says itself; exact and numeric by these names)',
    )
    .option('--verifier-version <version>', 'version of the verifier (default: as it says itself)')
    .addOption(new Option('--timeout <time>', 'for one answer of the verifier (default 1m)').argParser(timeout))
    .option('--concurrency <n>', 'attempts that the verifier judges at once (default 4)', wholeNumberFrom1)
    .option('--verdicts <file>', 'verdicts as JSON Lines, in the place of a verifier')
    .option('--audits', 'audits are made again (default: what they said stands)')
    .addOption(new Option('--source <source>', 'where events are read').choices(['store', 'log']).default('store'))
    .addOption(new Option('--late <late>', 'verdicts that came too late').choices(['use', 'ignore']).default('use'))
    .option('--against <replay>', 'compare with this replay, and supersede it (default: live)')
    .option('--dry-run', 'write nothing: the default')
    .option('--save', 'write decisions and rewards under the id of the replay')
    .option('--emit [topic]', 'save, and put what changed on the ready topic, or another that exists, each once')
    .option('--again', 'with --emit: also what was trained already')
    .addOption(
      new Option('--stale <stale>', 'with --emit: what is too old for the weights now').choices(['leave-out', 'emit']),
    )
    .addOption(
      new Option('--unchanged <unchanged>', 'with --emit: what would teach the same').choices(['leave-out', 'emit']),
    )
    .option('--label <text>', 'kept with the replay')
    .option('--html <file>', 'write the report as a page too')
    .option('--resume <replay>', 'go on with one that was cut off, failed or cancelled')
    .option('--list', 'the replays')
    .option('--status <replay>', 'how far one is')
    .option('--report <replay>', 'what one changed')
    .option('--cancel <replay>', 'end one')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: ReplayFlags) => run(flags, (context) => runReplayCommand(flags, context)));
}
