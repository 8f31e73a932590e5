import type { ImportTarget } from '../access/import-target.ts';
import { createLocalAccess } from '../access/local.ts';
import { createLocalImportTarget } from '../access/local-import-target.ts';
import { ownerClient } from '../access/open-access.ts';
import { createRemoteAccess } from '../access/remote.ts';
import { createRemoteImportTarget } from '../access/remote-import-target.ts';
import { silentRecorder } from '../observe/recorder.ts';
import type { CommandContext } from './context.ts';
import { startService } from './service.ts';

export interface OpenImportTarget {
  readonly target: ImportTarget;
  close(): Promise<void>;
}

/** Kafka, where workers do the rest; the server that owns the folder; else the pipeline in this process. */
export async function openImportTarget(context: CommandContext, wait: boolean): Promise<OpenImportTarget> {
  if (context.config.services !== null) return openCluster(context, wait);
  const client = await ownerClient(context.config);
  if (client !== null) {
    const target = createRemoteImportTarget(client, createRemoteAccess(client));
    return { target, close: async () => {} };
  }
  const service = await startService(context, false);
  return { target: service.imports, close: service.close };
}

async function openCluster({ config, log, io }: CommandContext, wait: boolean): Promise<OpenImportTarget> {
  const { openApp } = await import('../app.ts');
  const app = await openApp(config, { log, now: io.now, recorder: silentRecorder, url: null, withLanes: false });
  const target = createLocalImportTarget(app, createLocalAccess(app));
  return { target: wait ? target : { ...target, drained: async () => {} }, close: app.close };
}
