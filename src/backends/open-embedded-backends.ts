import { join } from 'node:path';
import { openEmbeddedBroker } from '../broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../broker/port.ts';
import { openEmbeddedStore } from '../clickhouse/client.ts';
import type { Config } from '../config/config.ts';
import { LOG_FOLDER, REGISTRY_FOLDER, STORE_FOLDER } from '../config/data-folders.ts';
import { takeDataFolder } from '../config/data-owner.ts';
import { makeFolder } from '../config/make-folder.ts';
import { topicNames, topicSpecs } from '../config/topics.ts';
import { RollstreamError } from '../errors.ts';
import { openLocalRegistry } from '../registry/local/open-local-registry.ts';
import type { BackendDeps, Backends } from './backends.ts';

/** All three in this process, in the data folder. */
export async function openEmbeddedBackends(config: Config, deps: BackendDeps): Promise<Backends> {
  const folder = config.data;
  // The owner file comes before the data: a second process must not even open it.
  const taken = await takeDataFolder(folder, deps.url === null ? {} : { url: deps.url }).catch(unusable(folder));
  deps.onOpened(() => taken.release());
  const broker = await openEmbeddedBroker({ folder: await subfolder(folder, LOG_FOLDER), now: deps.now });
  deps.onOpened(() => broker.close());
  const registry = await openLocalRegistry({ folder: await subfolder(folder, REGISTRY_FOLDER) });
  const store = await openEmbeddedStore({
    folder: await subfolder(folder, STORE_FOLDER),
    readerLimits: config.limits.query,
    log: (message) => deps.log.info(message),
  });
  deps.onOpened(() => store.close());
  return {
    broker,
    registry,
    store,
    async prepare() {
      await store.migrate();
      await broker.ensureTopics(topicSpecs(config.lanes.topicPrefix, await partitionsOf(broker, config)));
    },
    // Nobody else has the folder open, so that its tables may become those of this build. Topics are taken as they are.
    check: () => store.migrate(),
  };
}

/** A count that nobody chose refuses nothing. */
async function partitionsOf(broker: Broker, { lanes, partitionsGiven }: Config): Promise<number> {
  if (partitionsGiven) return lanes.partitions;
  return broker.partitionsOf(topicNames(lanes.topicPrefix).steps).catch((error: unknown) => {
    if (error instanceof RollstreamError && error.code === 'RS_UNKNOWN_TOPIC') return lanes.partitions;
    throw error;
  });
}

/** A folder that cannot be made or written is a mistake in the configuration, not a bug. */
function unusable(folder: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RollstreamError || !(error instanceof Error)) throw error;
    const code = 'code' in error && error.code === 'ENOSPC' ? 'RS_DISK_FULL' : 'RS_CONFIG';
    throw new RollstreamError(code, `cannot use the data folder ${folder}: ${error.message}`, {
      cause: error,
      facts: { field: 'data' },
    });
  };
}

async function subfolder(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await makeFolder(path);
  return path;
}
