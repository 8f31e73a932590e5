import { type Command, Option } from 'commander';
import { createImportSink } from '../../access/create-import-sink.ts';
import { RollstreamError } from '../../errors.ts';
import { createRetryOutage } from '../../lanes/retry-outage.ts';
import { sleep } from '../../lanes/sleep.ts';
import { openVerifier } from '../../verify/open-verifier.ts';
import type { VerdictCounts } from '../../verify/verdict-counts.ts';
import type { Verifier } from '../../verify/verifier.ts';
import { createVerifyRound, type VerifyRound } from '../../verify/verify-round.ts';
import type { CommandContext, Run } from '../context.ts';
import { durationFlag } from '../duration-flag.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { aborted, stopping } from '../until-stopped.ts';
import { createVerifyProgress } from '../verify-progress.ts';
import { openVerifyTarget, type VerifyTarget } from '../verify-target.ts';
import { isIncomplete, verifyJson, verifyText } from '../verify-text.ts';
import { wholeNumberFrom1 } from '../whole-number.ts';

const ABOUT = `
Judges rollouts that have ended, are not decided and have no verdict of the scorer, and sends their verdicts into the log.

A verifier is one of
  a command     started without a shell (write sh -c '…' for one) and kept: a JSON document a line on stdin,
                  {"id", "input": {run_id, env_name, task_id, rollout_id, attempt, task, prompt, messages,
                   no_messages, final_response, reasons, env_reward}}
                and one a line on stdout for each,
                  {"id", "reward": 1} or {"id", "rewards": {"name": 1}}, with "report" and "cost" if you like,
                  {"id", "status": "not_run"} and the like, or {"id", "refuse": "why it cannot be judged"}
                with the id of its request. A first line {"scorer", "version"} names it. --concurrency processes
                run at once, each with one request. task is task_metadata_json of the start; what was not kept is null
  a URL         the same request by POST, the answer as JSON; needs --verifier-version
  exact         1 where the final response is task.answer, task.ground_truth or task.expected, else 0
  numeric:TOL   1 where its last number (in \\boxed{} first) is as near as TOL to that; 1% is relative to it

What goes wrong is a verdict with a status, never a reward of 0. What was answered is kept by scorer, version and
content: the same content is asked once, and a run that was cut off goes on.

Exit code 4: some have no score, as the verifier refused or failed.

Example:
  $ rollstream verify --verifier exact --once
  $ rollstream verify --verifier 'python3 check.py' --scorer tests --concurrency 4`;

interface VerifyFlags extends GlobalFlags {
  readonly verifier: string;
  readonly run?: readonly string[];
  readonly once?: boolean;
  readonly wait?: boolean;
  readonly late?: boolean;
  readonly interval: number;
  readonly timeout: number;
  readonly concurrency: number;
  readonly scorer?: string;
  readonly verifierVersion?: string;
}

export function addVerify(program: Command, run: Run): void {
  const interval = durationFlag('interval', { min: '100ms', max: '1h', preset: '2s' });
  const timeout = durationFlag('timeout', { min: '100ms', max: '24h', preset: '1m' });
  const command = program
    .command('verify')
    .description('let a verifier judge what has ended and lacks a verdict')
    .requiredOption('--verifier <command|url|exact|numeric:tol>', 'who judges')
    .option('--run <id...>', 'only these runs (default: all)')
    .option('--once', 'judge what is there, and end (else: until it is stopped)')
    .option('--wait', 'with --once, on Kafka: before and after it until the workers are done (a data folder: always)')
    .option('--late', 'also what was decided without its verdict, for a replay')
    .addOption(new Option('--interval <time>', 'how often it looks').argParser(interval).default(2_000, '2s'))
    .addOption(new Option('--timeout <time>', 'for one answer').argParser(timeout).default(60_000, '1m'))
    .option('--concurrency <n>', 'attempts judged at once', wholeNumberFrom1, 4)
    .option(
      '--scorer <name>',
      'name of its verdicts (default: as it says, else verifier; exact and numeric by these names)',
    )
    .option('--verifier-version <text>', 'its version (default: as it says, else of the files that the command names)')
    .addHelpText('after', ABOUT);
  addGlobalFlags(command).action((flags: VerifyFlags) =>
    run(flags, (context) => verify(flags, context), { serves: flags.once !== true }),
  );
}

async function verify(flags: VerifyFlags, context: CommandContext): Promise<number> {
  if (flags.wait === true && flags.once !== true)
    throw new RollstreamError('RS_USAGE', '--wait is of --once, which is not there');
  const { log, io } = context;
  const { signal, forget } = stopping(context);
  // Before anything is opened: a slip in it must not create a data folder.
  const verifier = await openVerifier(
    {
      ...{ verifier: flags.verifier, scorer: flags.scorer ?? null, version: flags.verifierVersion ?? null },
      ...{ timeoutMs: flags.timeout, concurrency: flags.concurrency },
    },
    { log, path: io.env.PATH },
  );
  let target: VerifyTarget | null = null;
  const progress = createVerifyProgress(io, context.flags.quiet === true);
  try {
    target = await openVerifyTarget(context, flags.wait === true);
    const round = createVerifyRound({
      ...{ access: target.access, cache: target.cache, sink: await createImportSink(target.imports), verifier },
      ...{ runs: flags.run ?? [], late: flags.late === true, concurrency: flags.concurrency, signal, now: io.now },
      withTotal: flags.once === true && io.stderrIsTerminal,
      onProgress: progress.update,
    });
    const ending =
      flags.once === true ? once(round, target, signal) : follow(round, { flags, verifier, signal, context });
    const counts = await Promise.race([ending, target.failed]);
    progress.stop();
    if (counts === null) return 0;
    await context.out.write(
      context.flags.json === true ? verifyJson(verifier, counts) : `${verifyText(verifier, counts)}\n`,
    );
    return isIncomplete(counts) ? 4 : 0;
  } finally {
    progress.stop();
    await verifier.close();
    await target?.close();
    forget();
  }
}

async function once(round: VerifyRound, target: VerifyTarget, signal: AbortSignal): Promise<VerdictCounts> {
  await Promise.race([target.drained(), aborted(signal)]);
  const counts = await round();
  await Promise.race([target.drained(), aborted(signal)]);
  return counts;
}

/** Until it is stopped; an outage of the pipeline or of the verifier is waited for. */
async function follow(
  round: VerifyRound,
  {
    flags,
    verifier,
    signal,
    context,
  }: { flags: VerifyFlags; verifier: Verifier; signal: AbortSignal; context: CommandContext },
): Promise<null> {
  const retryOutage = createRetryOutage({ log: context.log, sleep, ended: signal });
  context.say(`judging by ${verifier.scorer} ${verifier.version} (Ctrl-C ends)`);
  while (!signal.aborted) {
    try {
      const counts = await retryOutage('verify', round);
      if (counts.done > 0) {
        const text = context.flags.json === true ? verifyJson(verifier, counts) : `${verifyText(verifier, counts)}\n`;
        await context.out.write(text);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await sleep(flags.interval, signal);
  }
  return null;
}
