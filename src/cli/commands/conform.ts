import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/is-loopback.ts';
import { CALL_FORMS, type CallForm } from '../../conform/call-form.ts';
import type { EngineDialect } from '../../conform/engine/engine-config.ts';
import { RollstreamError } from '../../errors.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { aborted, stopping } from '../until-stopped.ts';
import { wholeNumber, wholeNumberFrom1 } from '../whole-number.ts';
import { addConformReport } from './conform-report.ts';

const EXAMPLE = `
A scripted engine with real token ids, in the shapes of SGLang (/generate, /sglang/v1) and vLLM (/v1), that misbehaves on cue. Point
a stack at it, give it the tasks, and ask what the stack made of them. Which script a request gets is written in its prompt.

Example:
  $ rollstream conform --tokenizer ./Qwen3-8B
  $ rollstream conform tasks --per-scenario 2 > tasks.jsonl
  $ rollstream conform report rollstream-conform.jsonl --output results.jsonl`;

const TASKS_EXAMPLE = `
One JSON object a line: {task_id, scenario, prompt, tools}. The prompt names its script, and has to reach the engine whole. Give the
seed that the engine was started with.

Example:
  $ rollstream conform tasks --scenario abort_partial,malformed_call --per-scenario 4`;

interface ConformFlags extends GlobalFlags {
  /** Empty: all. */
  readonly scenario: readonly string[];
  readonly listen: string;
  readonly tokenizer?: string;
  readonly dialect: EngineDialect;
  readonly calls: CallForm;
  readonly log: string;
  readonly seed: number;
  readonly tokensPerSecond?: number;
}

interface TasksFlags extends GlobalFlags {
  /** Empty: all. */
  readonly scenario: readonly string[];
  readonly perScenario: number;
  readonly seed: number;
}

export function addConform(program: Command, run: Run): void {
  const conform = program
    .command('conform')
    .description('a scripted engine that tests a stack: what does it make of aborts, broken calls, odd tokens?')
    .helpCommand(false)
    .addOption(scenarioOption('scripts that are played: all, or names, with commas between'))
    .option('--listen <address>', 'address and port', '127.0.0.1:8200')
    .option(
      '--tokenizer <dir>',
      'folder with tokenizer.json and a chat template (default: one that is configured or installed)',
    )
    .addOption(
      new Option('--dialect <name>', 'whose routes there are').choices(['sglang', 'vllm', 'both']).default('both'),
    )
    .addOption(
      new Option('--calls <form>', 'how tool calls are written: as the parser of the stack reads them')
        .choices(CALL_FORMS)
        .default('hermes'),
    )
    .option('--log <file>', 'what the engine knows of each call; the report reads it', './rollstream-conform.jsonl')
    .option('--seed <n>', 'of all that is by chance', wholeNumber, 0)
    .option('--tokens-per-second <n>', 'speed of each answer (default: as fast as it is read)', wholeNumberFrom1)
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(conform).action((flags: ConformFlags) =>
    run(flags, (context) => serve(context, flags), { serves: true }),
  );

  const tasks = conform
    .command('tasks')
    .description('tasks for an agent, one JSON object a line')
    .addOption(scenarioOption('tasks of these: all, or names, with commas between'))
    .option('--per-scenario <n>', 'tasks of each', wholeNumberFrom1, 1)
    .option('--seed <n>', 'that the engine was started with', wholeNumber, 0)
    .addHelpText('after', TASKS_EXAMPLE);
  // Options that `conform` has too are taken by it, wherever they stand.
  addGlobalFlags(tasks).action(() => {
    const flags = tasks.optsWithGlobals<TasksFlags>();
    return run(flags, (context) => writeTasks(context, flags));
  });
  addConformReport(conform, run);
}

function scenarioOption(description: string): Option {
  const parse = (text: string): readonly string[] => {
    if (text === 'all') return [];
    const names = text.split(',').map((name) => name.trim());
    if (names.includes('')) throw new InvalidArgumentError('names with commas between are needed');
    return names;
  };
  return new Option('--scenario <names>', description).argParser(parse).default([], 'all');
}

async function serve(context: CommandContext, flags: ConformFlags): Promise<number> {
  const { io, say, out } = context;
  // Native code and a template engine: only this command pays for them.
  const [{ resolve }, { openEngine }, { findTokenizer }, { listenOf }] = await Promise.all([
    import('node:path'),
    import('../../conform/engine/open-engine.ts'),
    import('../../conform/find-tokenizer.ts'),
    import('../../conform/listen-of.ts'),
  ]);
  const { host, port } = listenOf(flags.listen);
  const token = tokenFor(host, context.config);
  const configured = (context.config.lanes.audits?.tokenizers ?? []).map((one) => one.folder);
  const folder = flags.tokenizer === undefined ? findTokenizer(io.cwd, configured) : resolve(io.cwd, flags.tokenizer);
  const log = resolve(io.cwd, flags.log);
  const stop = stopping(context);
  const engine = await openEngine({
    ...{
      tokenizer: folder,
      host,
      port,
      dialect: flags.dialect,
      calls: flags.calls,
      seed: flags.seed,
      log,
      token,
      keepTruth: false,
    },
    ...(flags.scenario.length === 0 ? {} : { scenarios: flags.scenario }),
    ...(flags.tokensPerSecond === undefined ? {} : { tokensPerSecond: flags.tokensPerSecond }),
  });
  try {
    if (context.flags.json === true)
      await out.write(`${JSON.stringify({ url: engine.url, tokenizer: folder, log })}\n`);
    say(`a scripted engine with the tokenizer of ${folder} at ${engine.url}; its log is ${log}; Ctrl-C ends`);
    await aborted(stop.signal);
    return 0;
  } finally {
    await engine.close();
    stop.forget();
  }
}

/** What clients have to send as their API key; null: nothing, where nobody else can reach it. */
function tokenFor(host: string, { http }: Config): string | null {
  if (isLoopback(host)) return null;
  if (http.token !== null) return http.token;
  throw new RollstreamError(
    'RS_CONFIG',
    `--listen ${host} can be reached by others: set http.token (ROLLSTREAM_HTTP_TOKEN) first`,
    { facts: { field: 'listen' } },
  );
}

async function writeTasks({ out }: CommandContext, { scenario, perScenario, seed }: TasksFlags): Promise<number> {
  const [{ taskLines }, { SCENARIOS, SCENARIO_NAMES }] = await Promise.all([
    import('../../conform/task-lines.ts'),
    import('../../conform/scenarios/scenarios.ts'),
  ]);
  const unknown = scenario.find((name) => !SCENARIOS.has(name));
  if (unknown !== undefined)
    throw new RollstreamError(
      'RS_USAGE',
      `there is no scenario ${unknown}; there are ${[...SCENARIOS.keys()].join(', ')}`,
      {
        facts: { field: 'scenario' },
      },
    );
  const lines = taskLines(seed, scenario.length === 0 ? SCENARIO_NAMES : scenario, perScenario);
  await out.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return 0;
}
