import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { serviceOptions } from '../../backends/service-options.ts';
import { LOG_FOLDER } from '../../config/data-folders.ts';
import { readOwner } from '../../config/data-owner.ts';
import type { Check, CheckStatus } from '../../doctor/check.ts';
import { checkBlobFolder } from '../../doctor/check-blob-folder.ts';
import { checkDataFolder } from '../../doctor/check-data-folder.ts';
import { silentRecorder } from '../../observe/recorder.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { visible } from '../table.ts';

const EXAMPLE = `
A line each: ok, fail or unreachable, with what to do. On Kafka: brokers, topics, rights, the registry's subjects, ClickHouse and
clocks (one tombstone is written to rollstream.state to measure it). Embedded: folder, disk, owner, fsync. The blob folder, where there is one.
Exit code 1 when something fails, 3 when something cannot be reached.

Example:
  $ rollstream doctor --config rollstream.yaml`;

export function addDoctor(program: Command, run: Run): void {
  const command = program
    .command('doctor')
    .description('whether everything that a pipeline needs is there and set up right')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: GlobalFlags) => run(flags, examine));
}

async function examine(context: CommandContext): Promise<number> {
  const checks = context.config.services === null ? await checkEmbedded(context) : await checkCluster(context);
  const ok = checks.every(({ status }) => status === 'ok' || status === 'unknown');
  await context.out.write(
    context.flags.json === true ? `${JSON.stringify({ ok, checks })}\n` : checksText(checks, context),
  );
  if (checks.some(({ status }) => status === 'unreachable')) return 3;
  return ok ? 0 : 1;
}

async function checkCluster({ config, log, io }: CommandContext): Promise<Check[]> {
  const { services } = config;
  if (services === null) return [];
  const options = serviceOptions(services, log);
  const [{ checkKafka }, { checkRegistry }, { checkClickhouse }] = await Promise.all([
    import('../../doctor/check-kafka.ts'),
    import('../../doctor/check-registry.ts'),
    import('../../doctor/check-clickhouse.ts'),
  ]);
  return [
    ...(await checkKafka({ config, services, log, now: io.now })),
    ...(await checkRegistry(options.registry, config.lanes.topicPrefix)),
    ...(await checkClickhouse(options.clickhouse, io.now)),
    ...(await checkBlobFolder(config)),
  ];
}

/** The store is opened only where nobody else has it open, and only if there is one: a doctor leaves no folder behind. */
async function checkEmbedded({ config, log, io }: CommandContext): Promise<Check[]> {
  const checks = [...(await checkDataFolder(config.data)), ...(await checkBlobFolder(config))];
  if (!existsSync(join(config.data, LOG_FOLDER)) || (await readOwner(config.data)) !== null) return checks;
  const { checkTables } = await import('../../doctor/check-tables.ts');
  return [...checks, ...(await checkTables(config, { log, now: io.now, recorder: silentRecorder }))];
}

const COLOURS = { ok: 'green', fail: 'red', unreachable: 'red', unknown: 'yellow' } as const;
const WIDTH = Math.max(...Object.keys(COLOURS).map(({ length }) => length));

function checksText(checks: readonly Check[], { paint }: CommandContext): string {
  const mark = (status: CheckStatus) => paint(COLOURS[status], status.padEnd(WIDTH));
  const lines = checks.flatMap(({ name, status, detail, fix }) => [
    `${mark(status)}  ${visible(name)}: ${visible(detail)}`,
    ...(fix === '' ? [] : [`${' '.repeat(WIDTH)}  fix: ${visible(fix)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}
