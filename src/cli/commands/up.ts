import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Accounting } from '../../clickhouse/accounting.ts';
import type { Config } from '../../config/config.ts';
import { packageFile } from '../../config/package-file.ts';
import { RollstreamError } from '../../errors.ts';
import type { ImportReport } from '../../ingest/import-report.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { reportText } from '../report.ts';
import { readReportData } from '../report-data.ts';
import { runImport } from '../run-import.ts';
import { type Service, startService } from '../service.ts';
import { aborted, interruption, type Stopping, stopping } from '../until-stopped.ts';
import { jsonReport } from './import.ts';

const EXAMPLE = `
Example:
  $ rollstream up --example          # example rollouts, a report, and the API until Ctrl-C
  $ rollstream up --data /data/rl --port 8080
  $ rollstream up --once --json      # what is in the log already, then end`;

const EXAMPLE_DATA = 'rollstream-example';

interface UpFlags extends GlobalFlags {
  readonly once?: boolean;
  readonly example?: boolean;
  readonly host?: string;
  readonly port?: string;
}

export function addUp(program: Command, run: Run): void {
  const command = program
    .command('up')
    .description('run the pipeline and the HTTP API')
    .option('--once', 'drain what is there, print the report, end')
    .option('--example', `import the example rollouts first; data in ./${EXAMPLE_DATA} unless --data`)
    .option('--host <address>', 'address to listen on (default 127.0.0.1)')
    .option('--port <n>', 'port to listen on (default 8080, else the next free one)')
    .addHelpText('after', EXAMPLE);
  const keys = (flags: UpFlags) => ({ 'http.host': flags.host, 'http.port': flags.port });
  addGlobalFlags(command).action((flags: UpFlags) =>
    run(flags, (context) => up(withExampleData(context, flags), flags), {
      serves: flags.once !== true,
      keys: keys(flags),
    }),
  );
}

async function up(context: CommandContext, flags: UpFlags): Promise<number> {
  const stop = stopping(context);
  const service = await startService(context, flags.once !== true);
  try {
    return await Promise.race([work(service, context, flags, stop), service.failed]);
  } catch (error) {
    // Ctrl-C is how a server ends, also while it still imports the examples; --once has a job to do first.
    if (error instanceof RollstreamError && error.code === 'RS_INTERRUPTED' && flags.once !== true) return 0;
    throw error;
  } finally {
    await service.close();
    stop.forget();
  }
}

async function work(service: Service, context: CommandContext, flags: UpFlags, stop: Stopping): Promise<number> {
  const before = await service.access.accounting(null);
  const imported = flags.example === true ? await importExamples(service, context, stop.signal) : null;
  if (flags.example === true || flags.once === true) {
    await Promise.race([service.imports.drained(), interruption(stop.signal)]);
    const records_read = imported?.records_read ?? service.recordsRead();
    const facts = { records_read, events: imported?.events ?? 0, refused: imported?.refused ?? 0 };
    const accounting = await report(service, context, before, facts);
    if (flags.once === true) return accounting.runs.every(({ balanced }) => balanced) ? 0 : 1;
  }
  if (service.clickhouseUrl !== null) context.say(`\nClickHouse clients read at ${service.clickhouseUrl}`);
  context.say(`\nserving at ${service.url} on ${placeOf(context.config)}; Ctrl-C ends`);
  await aborted(stop.signal);
  return 0;
}

function placeOf({ services, data }: Config): string {
  return services === null ? data : `Kafka ${services.kafka.brokers.join(', ')}`;
}

/** The rollouts, not the expectations beside them; as whoever started it would name them. */
function exampleFiles(cwd: string): string[] {
  const folder = packageFile('examples', 'rollouts');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => /\.jsonl(\.gz)?$/.test(name)).map((name) => join(folder, name));
  const shown = (path: string) => (relative(cwd, path).startsWith('..') ? path : relative(cwd, path));
  return paths.sort().map(shown);
}

function importExamples(service: Service, context: CommandContext, stopped: AbortSignal): Promise<ImportReport> {
  const paths = exampleFiles(context.io.cwd);
  context.say('importing the example rollouts');
  return runImport({ paths, options: {}, target: service.imports, stopped }, context);
}

async function report(
  service: Service,
  context: CommandContext,
  before: Accounting,
  facts: { readonly records_read: number; readonly events: number; readonly refused: number },
): Promise<Accounting> {
  const data = await readReportData(service.access);
  if (context.flags.json === true) {
    await context.out.write(jsonReport({ ...facts, accounting: data.accounting }));
  } else {
    if (before.runs.length > 0 && isDeepStrictEqual(before, data.accounting)) {
      context.say('nothing has changed since the last start: all of it was known');
    }
    await context.out.write(`\n${reportText(data, commandFor(context), context.paint)}`);
  }
  return data.accounting;
}

/** Commands as they can be pasted: with the data folder, where it is not the default; on Kafka with the configuration. */
function commandFor({ config, flags, io }: CommandContext): (words: string) => string {
  if (config.services !== null) {
    return (words) => `npx rollstream ${words}${flags.config === undefined ? '' : ` --config ${flags.config}`}`;
  }
  const folder = relative(io.cwd, config.data) || '.';
  const shown = folder.startsWith('..') ? config.data : folder;
  return (words) => `npx rollstream ${words}${shown === 'rollstream-data' ? '' : ` --data ${shown}`}`;
}

function withExampleData(context: CommandContext, flags: UpFlags): CommandContext {
  if (flags.example !== true || context.config.dataGiven || context.config.services !== null) return context;
  return { ...context, config: { ...context.config, data: resolve(context.io.cwd, EXAMPLE_DATA) } };
}
