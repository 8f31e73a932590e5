import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '../access/access.ts';
import { type AccessDeps, ownerClient } from '../access/open-access.ts';
import { createRemoteAccess } from '../access/remote.ts';
import { LOG_FOLDER } from '../config/data-folders.ts';
import { RollstreamError } from '../errors.ts';
import { silentRecorder } from '../observe/recorder.ts';
import { createRemoteVerifierCache } from '../verify/remote-verifier-cache.ts';
import type { VerifierCache } from '../verify/verifier-cache.ts';
import { createRemoteReplays } from './remote-replays.ts';
import type { Replays } from './replays.ts';

/** All that a command needs which replays. */
export interface OpenReplays {
  readonly access: Access;
  readonly replays: Replays;
  readonly verifierCache: VerifierCache;
  close(): Promise<void>;
}

/** The server that owns the data folder if one lives, which then does the work; else this process, on the folder or on Kafka. */
export async function openReplays({ config, log, io }: AccessDeps): Promise<OpenReplays> {
  const client = await ownerClient(config);
  if (client !== null)
    return {
      access: createRemoteAccess(client),
      replays: createRemoteReplays(client),
      verifierCache: createRemoteVerifierCache(client),
      close: async () => {},
    };
  if (config.services === null && !existsSync(join(config.data, LOG_FOLDER)))
    throw new RollstreamError('RS_CONFIG', `there is no data in ${config.data}: name it with --data`, {
      facts: { field: 'data' },
    });
  const [{ openApp }, { createLocalAccess }, { createReplays }, { createStoreVerifierCache }] = await Promise.all([
    import('../app.ts'),
    import('../access/local.ts'),
    import('./create-replays.ts'),
    import('../verify/store-verifier-cache.ts'),
  ]);
  const app = await openApp(config, { log, now: io.now, recorder: silentRecorder, url: null, withLanes: false });
  const { chunkEvents } = config.replay;
  const replays = createReplays(app, {
    ...{ log, isAlone: config.services === null },
    ...(chunkEvents === null ? {} : { chunkEvents }),
  });
  return {
    access: createLocalAccess(app),
    replays,
    verifierCache: createStoreVerifierCache(app),
    async close() {
      await replays.close();
      await app.close();
    },
  };
}
