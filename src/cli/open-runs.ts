import { createLocalAccess } from '../access/local.ts';
import { createLocalImportTarget } from '../access/local-import-target.ts';
import { openAccess, ownerClient } from '../access/open-access.ts';
import { silentRecorder } from '../observe/recorder.ts';
import { createLocalRuns } from '../runs/local-runs.ts';
import { createRemoteRuns } from '../runs/remote-runs.ts';
import type { Runs } from '../runs/runs.ts';
import type { CommandContext } from './context.ts';
import { startService } from './service.ts';

/**
 * The server that owns the data folder; Kafka and ClickHouse, where workers do the rest; else the pipeline in this process, since
 * what is open of a deleted run has to be closed by a lane.
 */
export async function openRuns(context: CommandContext): Promise<Runs> {
  const { config, log, io } = context;
  const client = await ownerClient(config);
  if (client !== null) return createRemoteRuns(client);
  if (config.services === null) {
    const service = await startService(context, false);
    return { ...service.runs, close: service.close };
  }
  const { openApp } = await import('../app.ts');
  const app = await openApp(config, { log, now: io.now, recorder: silentRecorder, url: null, withLanes: false });
  const { drained } = createLocalImportTarget(app, createLocalAccess(app));
  const runs = createLocalRuns({ app, log, drained, hasOthers: true, isGranted: true });
  const close = async (): Promise<void> => {
    await runs.close();
    await app.close();
  };
  return { ...runs, close };
}

/** To look only: no lane runs, and a folder without data is not made. */
export async function openRunList(context: CommandContext): Promise<Pick<Runs, 'list' | 'close'>> {
  const access = await openAccess(context);
  return { list: access.runs, close: access.close };
}
