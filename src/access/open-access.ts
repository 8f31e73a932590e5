import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { LOG_FOLDER } from '../config/data-folders.ts';
import { readOwner } from '../config/data-owner.ts';
import { RollstreamError } from '../errors.ts';
import { silentRecorder } from '../observe/recorder.ts';
import type { Access } from './access.ts';
import { createRemoteAccess } from './remote.ts';
import { createServerClient, type ServerClient } from './server-client.ts';

export interface AccessDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly io: { readonly now: () => number };
}

/** For commands that read: Kafka and ClickHouse; or the server that owns the data folder if one lives, else the folder itself. */
export async function openAccess({ config, log, io }: AccessDeps): Promise<Access> {
  const client = await ownerClient(config);
  if (client !== null) return createRemoteAccess(client);
  if (config.services === null && !existsSync(join(config.data, LOG_FOLDER))) {
    throw new RollstreamError(
      'RS_CONFIG',
      `there is no data in ${config.data}: import something, or name it with --data`,
      {
        facts: { field: 'data' },
      },
    );
  }
  // The engines are loaded only where they are needed: they cost more than the rest of a command.
  const [{ openApp }, { createLocalAccess }] = await Promise.all([import('../app.ts'), import('./local.ts')]);
  const deps = { log, now: io.now, recorder: silentRecorder, url: null, withLanes: false };
  return createLocalAccess(await openApp(config, deps));
}

/**
 * Requests to the live owner of the data folder; null when nobody owns it, and where there is none: on Kafka. RS_DATA_OWNED when
 * it cannot be talked to.
 */
export async function ownerClient(config: Config): Promise<ServerClient | null> {
  if (config.services !== null) return null;
  const owner = await readOwner(config.data);
  if (owner === null) return null;
  if (owner.url === null) {
    throw new RollstreamError(
      'RS_DATA_OWNED',
      `pid ${owner.pid} works on ${config.data} since ${owner.startedAt} and serves nobody: wait for it to end`,
      { facts: { pid: owner.pid } },
    );
  }
  return createServerClient({ url: owner.url, token: config.http.token });
}
