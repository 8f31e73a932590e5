import type { Access } from '../access/access.ts';
import type { ImportTarget } from '../access/import-target.ts';
import { createLocalAccess } from '../access/local.ts';
import { createLocalImportTarget } from '../access/local-import-target.ts';
import { ownerClient } from '../access/open-access.ts';
import { createRemoteAccess } from '../access/remote.ts';
import { createRemoteImportTarget } from '../access/remote-import-target.ts';
import { silentRecorder } from '../observe/recorder.ts';
import { createRemoteVerifierCache } from '../verify/remote-verifier-cache.ts';
import { createStoreVerifierCache } from '../verify/store-verifier-cache.ts';
import type { VerifierCache } from '../verify/verifier-cache.ts';
import type { CommandContext } from './context.ts';
import { startService } from './service.ts';

/** Where a verifier reads what it judges, and where its verdicts go. */
export interface VerifyTarget {
  readonly access: Access;
  readonly imports: ImportTarget;
  readonly cache: VerifierCache;
  /** Resolves when the rows of all that was sent are in the store; on Kafka at once, unless it was asked to wait for the workers. */
  drained(): Promise<void>;
  /** Rejects when a lane of this process fails. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

const NEVER = new Promise<never>(() => {});

/** Kafka; the server that owns the folder; else the pipeline in this process. */
export async function openVerifyTarget(context: CommandContext, wait: boolean): Promise<VerifyTarget> {
  const { config, log, io } = context;
  if (config.services !== null) {
    const { openApp } = await import('../app.ts');
    const app = await openApp(config, { log, now: io.now, recorder: silentRecorder, url: null, withLanes: false });
    const access = createLocalAccess(app);
    const cache = createStoreVerifierCache({ store: app.store, now: io.now });
    const imports = createLocalImportTarget(app, access);
    const drained = wait ? imports.drained : async () => {};
    return { access, imports, cache, drained, failed: NEVER, close: app.close };
  }
  const client = await ownerClient(config);
  if (client !== null) {
    const access = createRemoteAccess(client);
    const imports = createRemoteImportTarget(client, access);
    const cache = createRemoteVerifierCache(client);
    return { access, imports, cache, drained: imports.drained, failed: NEVER, close: async () => {} };
  }
  const service = await startService(context, false);
  const { access, imports, verifierCache: cache, failed, close } = service;
  return { access, imports, cache, drained: imports.drained, failed, close };
}
