import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { makeFolder } from '../../config/make-folder.ts';
import { RollstreamError } from '../../errors.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { aborted, stopping } from '../until-stopped.ts';

const EXAMPLE = `
Where there is no ClickHouse server and no container to run one in: for development and CI, not for what must last. Clients send
http.token as the password, if one is set.

Example:
  $ rollstream clickhouse --folder ./clickhouse --port 8123`;

interface ClickhouseFlags extends GlobalFlags {
  readonly folder: string;
  readonly port: number;
}

export function addClickhouse(program: Command, run: Run): void {
  const command = program
    .command('clickhouse')
    .description("ClickHouse's engine behind its HTTP interface, for workers to write to")
    .option('--folder <dir>', 'its data', './rollstream-clickhouse')
    .option('--port <n>', 'port on http.host', portNumber, 8123)
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: ClickhouseFlags) =>
    run(flags, (context) => serve(context, flags), { serves: true }),
  );
}

async function serve(context: CommandContext, flags: ClickhouseFlags): Promise<number> {
  const { config, log, io, say } = context;
  const stop = stopping(context);
  const folder = resolve(io.cwd, flags.folder);
  await makeFolder(folder).catch((cause: unknown) => {
    throw new RollstreamError('RS_USAGE', `--folder ${folder}: no folder can be made there`, { cause });
  });
  const [{ openEmbeddedStore }, { startHttpFront }] = await Promise.all([
    import('../../clickhouse/client.ts'),
    import('../../clickhouse/http-front/start-http-front.ts'),
  ]);
  const store = await openEmbeddedStore({ folder });
  try {
    const front = await startHttpFront({
      folder,
      host: config.http.host,
      port: flags.port,
      writable: true,
      insertsAtOnce: Math.max(1, Math.floor(Number(io.env.UV_THREADPOOL_SIZE ?? 4) / 3)),
      token: config.http.token,
      limits: config.limits.query,
      log: (message) => log.warn(message),
    });
    say(`ClickHouse clients are served at ${front.url} from ${folder}; Ctrl-C ends`);
    await aborted(stop.signal);
    await front.close();
    return 0;
  } finally {
    await store.close();
    stop.forget();
  }
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('a port is needed');
  return Number(text);
}
