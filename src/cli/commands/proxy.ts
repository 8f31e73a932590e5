import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { isLoopback } from '../../config/is-loopback.ts';
import { listenOf } from '../../conform/listen-of.ts';
import { RollstreamError } from '../../errors.ts';
import { checkedId } from '../../proxy/forward/naming/checked-id.ts';
import type { ProxyOptions } from '../../proxy/open-proxy.ts';
import type { RecordingStatus } from '../../proxy/record/port.ts';
import type { CommandContext, Run } from '../context.ts';
import { durationFlag } from '../duration-flag.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { sizeFlag } from '../size-flag.ts';
import { aborted, stopping } from '../until-stopped.ts';
import { wholeNumberFrom1 } from '../whole-number.ts';

const EXAMPLE = `
Clients keep their code: their base URL names the proxy instead of the engine. A rollout is named by headers (x-rollstream-rollout, -run,
-attempt, -group, -group-size, -task, -env, -epoch, -purpose), or by the base URL itself (/r/RUN/ROLLOUT/v1); else it is told by its
conversation. A rollout ends by POST /v1/rollouts/ID/end, or after --idle.

Example:
  $ rollstream proxy --upstream http://127.0.0.1:30000 --run my-run
  $ OPENAI_BASE_URL=http://127.0.0.1:8100/r/my-run/rollout-1/v1 python agent.py
  $ rollstream proxy --upstream https://engine:8000 --listen 0.0.0.0:8100 --token-file proxy.token`;

/** So long calls may take to end after a signal, and what is recorded to be sent: a command that closes has 10 s. */
const GRACE_MS = 6_000;
const SEND_MS = 2_500;
const TOKEN = /^[\x21-\x7e]{16,}$/;
const TOKEN_VARIABLE = 'ROLLSTREAM_PROXY_TOKEN';

interface ProxyFlags extends GlobalFlags {
  readonly upstream: string;
  readonly engine: ProxyOptions['engine'];
  readonly listen: string;
  readonly server: string;
  readonly run: string;
  readonly env: string;
  readonly purpose: ProxyOptions['recording']['purpose'];
  readonly state: string;
  readonly idle: number;
  readonly onIdle?: string;
  readonly ask: 'all' | 'none';
  readonly showAdded?: boolean;
  readonly tokenFile?: string;
  readonly upstreamTimeout: number;
  readonly maxCalls: number;
  readonly maxBody: number;
  readonly maxHeaders: number;
}

export function addProxy(program: Command, run: Run): void {
  const command = program
    .command('proxy')
    .description('stands in front of an engine, and records every model call with its tokens')
    .requiredOption('--upstream <url>', 'the engine: where its /v1, or /generate, begins')
    .addOption(
      new Option('--engine <name>', 'what it is; auto asks its /v1/models')
        .choices(['auto', 'sglang', 'vllm', 'openai'])
        .default('auto'),
    )
    .option('--listen <address>', 'address and port', '127.0.0.1:8100')
    .option(
      '--server <url>',
      'rollstream server that events are sent to; its token is http.token',
      'http://127.0.0.1:8080',
    )
    .option('--run <id>', 'run of calls that name none', 'proxy')
    .option('--env <name>', 'environment of calls that name none', 'proxy')
    .addOption(
      new Option('--purpose <purpose>', 'of calls that name none')
        .choices(['train', 'eval', 'synthesis'])
        .default('train'),
    )
    .option('--state <dir>', 'folder of what is not sent yet; one proxy owns it', './rollstream-proxy')
    .addOption(durationOption('--idle <duration>', 'a rollout without a call for so long is over', '7d', '15m'))
    .option(
      '--on-idle <reason>',
      'what it means that a loop goes quiet, such as task_complete (default: unknown, quarantined)',
    )
    .addOption(
      new Option('--ask <what>', "whether token ids and logprobs are asked for in the client's place")
        .choices(['all', 'none'])
        .default('all'),
    )
    .option('--show-added', 'clients see what was asked for in their place')
    .option('--token-file <file>', `what clients have to show (or ${TOKEN_VARIABLE}); needed where others can reach it`)
    .addOption(
      durationOption(
        '--upstream-timeout <duration>',
        'an engine that says nothing for so long is given up',
        '1d',
        '1h',
      ),
    )
    .option('--max-calls <n>', 'calls in flight; others are answered 503', wholeNumberFrom1, 4_096)
    .addOption(sizeOption('--max-body <size>', 'of one call; more is answered 413', '1GB', '64MB'))
    .addOption(sizeOption('--max-headers <size>', 'of one call; more is answered 431', '1MB', '64KB'))
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: ProxyFlags) =>
    run(flags, (context) => serve(context, flags), { serves: true }),
  );
}

function durationOption(flags: string, description: string, max: string, preset: string): Option {
  const parse = durationFlag(flags, { min: '1s', max, preset });
  return new Option(flags, description).argParser(parse).default(parse(preset), preset);
}

function sizeOption(flags: string, description: string, max: string, preset: string): Option {
  const parse = sizeFlag(flags, { min: '1KB', max, preset });
  return new Option(flags, description).argParser(parse).default(parse(preset), preset);
}

async function serve(context: CommandContext, flags: ProxyFlags): Promise<number> {
  const { out, say, log } = context;
  const options = optionsOf(context, flags);
  const [{ openProxy }, { openRecording }] = await Promise.all([
    import('../../proxy/open-proxy.ts'),
    import('../../proxy/open-recording.ts'),
  ]);
  const stop = stopping(context);
  const proxy = await openProxy(options, log, openRecording);
  try {
    const { upstream, recording } = options;
    if (context.flags.json === true)
      await out.write(`${JSON.stringify({ url: proxy.url, upstream: upstream.href })}\n`);
    say(
      `${proxy.url} stands in front of ${upstream.href}; what it records goes to ${flags.server}, and waits in ${recording.folder} until then`,
    );
    await aborted(stop.signal);
    return 0;
  } finally {
    const last = await proxy.close(GRACE_MS, SEND_MS);
    const { folder } = options.recording;
    if (last === null) say(`what was not sent waits in ${folder}`);
    else if (last.spooledEvents > 0) say(waiting(last, folder));
    stop.forget();
  }
}

function waiting({ spooledEvents, runs }: RecordingStatus, folder: string): string {
  const named = runs.slice(0, 3).map(({ run, events, problem }) => {
    const why = problem === null ? '' : ` (${problem})`;
    return `${events} of ${run === null ? 'several runs' : `run ${JSON.stringify(run)}`}${why}`;
  });
  const all = [...named, ...(runs.length > named.length ? ['others'] : [])].join(', ');
  return `${spooledEvents} events wait in ${folder} for the next proxy with this --state: ${all}`;
}

function optionsOf({ io, config }: CommandContext, flags: ProxyFlags): ProxyOptions {
  const { host, port } = listenOf(flags.listen);
  return {
    ...{ upstream: upstreamOf(flags.upstream), engine: flags.engine, host, port },
    token: tokenOf(
      host,
      flags.tokenFile === undefined ? null : resolve(io.cwd, flags.tokenFile),
      io.env[TOKEN_VARIABLE],
    ),
    ...{ asks: flags.ask === 'all', showsAdded: flags.showAdded === true },
    limits: {
      ...{ bodyBytes: flags.maxBody, headerBytes: flags.maxHeaders },
      ...{ callsInFlight: flags.maxCalls, upstreamSilenceMs: flags.upstreamTimeout },
    },
    recording: {
      folder: resolve(io.cwd, flags.state),
      server: { url: urlOf(flags.server, 'server').href.replace(/\/+$/, ''), token: config.http.token },
      ...{
        run: checkedId(flags.run, '--run'),
        env: checkedId(flags.env, '--env'),
        purpose: flags.purpose,
        idleMs: flags.idle,
        idleReason: flags.onIdle === undefined ? null : checkedId(flags.onIdle, '--on-idle'),
      },
    },
  };
}

function upstreamOf(text: string): URL {
  const url = urlOf(text, 'upstream');
  if (/\/v1\/?$/.test(url.pathname)) {
    throw usage('upstream', `leave out /v1: clients name it behind the proxy's own address, got ${text}`);
  }
  if (url.search !== '' || url.hash !== '') throw usage('upstream', `a URL without a query is needed, got ${text}`);
  return url;
}

function urlOf(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage(flag, `http:// or https:// and a host are needed, got ${text}`);
  if (url.username !== '' || url.password !== '') throw usage(flag, 'a URL without user and password is needed');
  return url;
}

/** null: anybody who can reach it, which is this machine. */
function tokenOf(host: string, file: string | null, variable: string | undefined): string | null {
  const token = file === null ? variable : readToken(file);
  if (token === undefined || token === '') {
    if (isLoopback(host)) return null;
    throw usage('listen', `${host} can be reached by others: give --token-file or ${TOKEN_VARIABLE} first`);
  }
  if (TOKEN.test(token)) return token;
  throw usage('token-file', 'the token needs 16 or more printable characters without blanks');
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `the token cannot be read: ${why}`, {
      cause,
      facts: { field: 'token-file' },
    });
  }
}

function usage(flag: string, why: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `--${flag}: ${why}`, { facts: { field: flag } });
}
