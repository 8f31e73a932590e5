import type { Logger } from 'pino';
import type { BackendDeps, Backends } from './backends/backends.ts';
import { blobFolderOf } from './blobs/blob-folder-of.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { openBlobFolder } from './blobs/open-blob-folder.ts';
import { startBlobRemoval } from './blobs/start-blob-removal.ts';
import type { Broker } from './broker/port.ts';
import type { Store } from './clickhouse/port.ts';
import type { Config } from './config/config.ts';
import { laneGroup, type TopicNames, topicNames } from './config/topics.ts';
import { type ChangeGate, createChangeGate } from './gate/change-gate.ts';
import { createLookAtGates } from './gate/look-at-gates.ts';
import { startGateEvaluator } from './gate/start-gate-evaluator.ts';
import { createTellOfGate } from './gate/tell-of-gate.ts';
import { createControlWriter } from './lanes/control-writer.ts';
import type { LaneSettings } from './lanes/lane-settings.ts';
import type { Lanes, LanesDeps } from './lanes/lanes.ts';
import { sleep } from './lanes/sleep.ts';
import type { Recorder } from './observe/recorder.ts';
import { createConfiguredPolicy } from './policies/configured-policy.ts';
import { type Codecs, createCodecs } from './registry/codecs.ts';
import type { Registry } from './registry/port.ts';
import { openRunRegistry, type RunRegistry, SEEN_AFTER_MS } from './runs/registry.ts';

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

/** The program in one process: the lanes between log, registry and store. */
export interface App {
  readonly broker: Broker;
  readonly registry: Registry;
  readonly codecs: Codecs;
  readonly store: Store;
  /** null: there is no folder for them. */
  readonly blobs: BlobStore | null;
  readonly topics: TopicNames;
  readonly settings: LaneSettings;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Consumer group of the lanes. */
  readonly group: string;
  /** null when opened without. */
  readonly lanes: Lanes | null;
  readonly gates: ChangeGate;
  /** What was said of each run. */
  readonly runs: RunRegistry;
  /** Records that were committed before this process began. */
  readonly committedBefore: number;
  /** In reverse: lanes flush, commit and leave the group, then store, then log, then a data folder is given back. */
  close(): Promise<void>;
}

/** Opens what the configuration names; whatever fails closes what was open before it. */
export async function openApp(config: Config, deps: AppDeps): Promise<App> {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of opened.splice(0).reverse()) await step();
  };
  const { log, recorder, now, url, withLanes } = deps;
  try {
    const backends = await openBackends(config, { log, recorder, now, url, onOpened: (step) => opened.push(step) });
    const { broker, registry, store } = backends;
    const blobFolder = blobFolderOf(config);
    const blobs = blobFolder === null ? null : openBlobFolder(blobFolder);
    await (withLanes ? backends.prepare() : backends.check());
    const runs = await openRunRegistry({
      ...{ store, quota: config.limits.run, log, sleep },
      everyMs: withLanes && config.services !== null ? SEEN_AFTER_MS : null,
    });
    opened.push(() => runs.close());
    const { topicPrefix } = config.lanes;
    const committedBefore = withLanes ? await committed(broker, topicPrefix) : 0;
    const lanes = withLanes
      ? await start({ broker, store, registry, blobs, log, recorder, now, ending: runs.ending }, config)
      : null;
    if (lanes !== null) opened.push(() => lanes.close());
    const codecs = createCodecs(registry);
    const { steps } = topicNames(topicPrefix);
    const gates = createChangeGate({
      store,
      // Only who changes a gate has a schema registered.
      control: () => createControlWriter(broker, codecs, steps),
      now,
      tell: createTellOfGate({ log, recorder, webhook: config.gate.webhook }),
    });
    if (lanes !== null) {
      const policy = createConfiguredPolicy(store, config.lanes);
      const createLook = () => createLookAtGates({ store, gates, policy, topic: steps, counted: recorder.gateRuns });
      const { intervalMs } = config.gate;
      const evaluator = startGateEvaluator({ status: lanes.status, createLook, sleep, log, intervalMs });
      opened.push(() => evaluator.close());
    }
    if (lanes !== null && blobs !== null) {
      const retentionMs = config.delivery.blobRetentionMs;
      const removal = startBlobRemoval({ blobs, retentionMs, log, sleep, now });
      opened.push(() => removal.close());
    }
    log.info(
      { on: config.services === null ? config.data : config.services.kafka.brokers, lanes: withLanes },
      'opened',
    );
    return {
      broker,
      registry,
      codecs,
      store,
      blobs,
      topics: topicNames(topicPrefix),
      settings: config.lanes,
      now,
      group: laneGroup(topicPrefix),
      lanes,
      gates,
      runs,
      committedBefore,
      close,
    };
  } catch (error) {
    await close().catch((cause: unknown) => log.error({ err: cause }, 'closing after a failed start'));
    throw error;
  }
}

/** Only what is used is loaded: the engines and the client of Kafka cost more than the rest of a command. */
async function openBackends(config: Config, deps: BackendDeps): Promise<Backends> {
  if (config.services === null) {
    const { openEmbeddedBackends } = await import('./backends/open-embedded-backends.ts');
    return openEmbeddedBackends(config, deps);
  }
  const { openServiceBackends } = await import('./backends/open-service-backends.ts');
  return openServiceBackends(config, config.services, deps);
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
