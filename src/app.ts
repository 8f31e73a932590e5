import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openEmbeddedBroker } from './broker/embedded/open-embedded-broker.ts';
import type { Broker } from './broker/port.ts';
import { openEmbeddedStore } from './clickhouse/client.ts';
import type { Store } from './clickhouse/port.ts';
import type { Config } from './config/config.ts';
import { LOG_FOLDER, REGISTRY_FOLDER, STORE_FOLDER } from './config/data-folders.ts';
import { takeDataFolder } from './config/data-owner.ts';
import { laneGroup, type TopicNames, topicNames, topicSpecs } from './config/topics.ts';
import { RollstreamError } from './errors.ts';
import type { Lanes, LanesDeps } from './lanes/lanes.ts';
import type { Recorder } from './observe/recorder.ts';
import { type Codecs, createCodecs } from './registry/codecs.ts';
import { openLocalRegistry } from './registry/local/open-local-registry.ts';
import type { Registry } from './registry/port.ts';

export interface AppDeps {
  readonly log: Logger;
  readonly recorder: Recorder;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Where other commands reach this process; null: nowhere. */
  readonly url: string | null;
  /** Without them the data is only read. */
  readonly withLanes: boolean;
}

/** The program in one process: log, registry, store, and the lanes between them. */
export interface App {
  readonly broker: Broker;
  readonly registry: Registry;
  readonly codecs: Codecs;
  readonly store: Store;
  readonly topics: TopicNames;
  /** null when opened without. */
  readonly lanes: Lanes | null;
  /** Records that were committed before this process began. */
  readonly committedBefore: number;
  /** In reverse: lanes flush and commit, then store, then log, then the folder is given back. */
  close(): Promise<void>;
}

/** Opens what the configuration names; whatever fails closes what was open before it. */
export async function openApp(config: Config, deps: AppDeps): Promise<App> {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of opened.splice(0).reverse()) await step();
  };
  try {
    const folder = config.data;
    // The owner file comes before the data: a second process must not even open it.
    const taken = await takeDataFolder(folder, deps.url === null ? {} : { url: deps.url }).catch(unusable(folder));
    opened.push(() => taken.release());
    const broker = await openEmbeddedBroker({ folder: await subfolder(folder, LOG_FOLDER), now: deps.now });
    opened.push(() => broker.close());
    const registry = await openLocalRegistry({ folder: await subfolder(folder, REGISTRY_FOLDER) });
    const store = await openEmbeddedStore({
      folder: await subfolder(folder, STORE_FOLDER),
      readerLimits: config.limits.query,
      log: (message) => deps.log.info(message),
    });
    opened.push(() => store.close());
    await store.migrate();
    const { topicPrefix, partitions } = config.lanes;
    // Who only reads takes the topics as they are, whatever this configuration would create.
    if (deps.withLanes) await broker.ensureTopics(topicSpecs(topicPrefix, partitions));
    const committedBefore = deps.withLanes ? await committed(broker, topicPrefix) : 0;
    const lanes = deps.withLanes
      ? await start({ broker, store, registry, log: deps.log, recorder: deps.recorder, now: deps.now }, config)
      : null;
    if (lanes !== null) opened.push(() => lanes.close());
    deps.log.info({ folder, partitions, lanes: deps.withLanes }, 'opened');
    return {
      broker,
      registry,
      codecs: createCodecs(registry),
      store,
      topics: topicNames(topicPrefix),
      lanes,
      committedBefore,
      close,
    };
  } catch (error) {
    await close().catch((cause: unknown) => deps.log.error({ err: cause }, 'closing after a failed start'));
    throw error;
  }
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

async function start(deps: LanesDeps, config: Config): Promise<Lanes> {
  const { startLanes } = await import('./lanes/start-lanes.ts');
  return startLanes(deps, config.lanes);
}

async function committed(broker: Broker, prefix: string): Promise<number> {
  const { steps } = topicNames(prefix);
  let sum = 0;
  for (let partition = 0; partition < (await broker.partitionsOf(steps)); partition += 1) {
    sum += (await broker.committed(laneGroup(prefix), steps, partition))?.offset ?? 0;
  }
  return sum;
}

async function subfolder(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  return path;
}
