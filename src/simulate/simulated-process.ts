import type { Logger } from 'pino';
import { type StepEvent, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { TopicNames } from '../config/topics.ts';
import { NO_DEEP_AUDITOR } from '../deep-audits/deep-auditor.ts';
import { createByteBudget } from '../lanes/byte-budget.ts';
import { createControlWriter } from '../lanes/control-writer.ts';
import { policyOfText, shelveDocuments, taxonomyOfText } from '../lanes/documents.ts';
import { createLane } from '../lanes/lane.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { createLaneSpace } from '../lanes/lane-space.ts';
import type { LaneStatus } from '../lanes/lanes.ts';
import { createEncodeRecords } from '../lanes/out-records.ts';
import type { DocumentText } from '../lanes/read-document.ts';
import { createRetryOutage } from '../lanes/retry-outage.ts';
import { settleLoss } from '../lanes/settle-loss.ts';
import { silentRecorder } from '../observe/recorder.ts';
import type { Codecs } from '../registry/codecs.ts';
import type { Caller } from './scheduler.ts';
import { judgedByBuild, type PolicyName, policyText, TAXONOMY } from './simulated-documents.ts';
import {
  createSimulatedBroker,
  createSimulatedLane,
  createSimulatedSleep,
  createSimulatedStore,
  type World,
} from './simulated-ports.ts';

export const GROUP = 'rollstream';
const NO_RUNS: ReadonlySet<string> = new Set();
/** Processes start by the thousand and read the same few texts. */
const readOnce = { policy: onceAText(policyOfText), taxonomy: onceAText(taxonomyOfText) };

function onceAText<T>(read: (document: DocumentText) => T): (document: DocumentText) => T {
  const known = new Map<string, T>();
  return (document) => {
    const value = known.get(document.text) ?? read(document);
    known.set(document.text, value);
    return value;
  };
}

export interface ProcessConfig {
  readonly name: string;
  readonly policy: PolicyName;
  /** Builds of the program that differ judge otherwise. */
  readonly build: number;
  readonly settings: LaneSettings;
}

export interface ProcessDeps {
  readonly world: World;
  readonly topics: TopicNames;
  readonly codecs: Codecs;
  readonly log: Logger;
}

/** One process with the real lane in it. */
export interface SimulatedProcess extends Caller {
  /** null before the lane exists. */
  status(): LaneStatus | null;
  /** The lane is given to somebody else. */
  revoke(): void;
  /** Asked to end: it flushes what it has read. */
  stop(): void;
  /** How its lane ended; null while it runs. */
  readonly end: { readonly error: unknown } | null;
}

export function startProcess(
  { name, policy, build, settings }: ProcessConfig,
  { world, topics, codecs, log }: ProcessDeps,
): SimulatedProcess {
  const stopping = new AbortController();
  const revocation = new AbortController();
  let lane: ReturnType<typeof createLane> | null = null;
  let end: SimulatedProcess['end'] = null;
  const caller: SimulatedProcess = {
    name,
    dead: false,
    status: () => lane?.status() ?? null,
    revoke: () => revocation.abort(),
    stop: () => stopping.abort(),
    get end() {
      return end;
    },
  };

  const run = async (): Promise<void> => {
    const store = createSimulatedStore(world, caller);
    const broker = createSimulatedBroker(world, caller);
    const laneName = { group: GROUP, topic: topics.steps, partition: 0, stateTopic: topics.state };
    const now = () => world.scheduler.clock.nowMs;
    const sleep = createSimulatedSleep(world, caller);
    lane = createLane(
      {
        auditor: NO_DEEP_AUDITOR,
        broker,
        store,
        space: createLaneSpace(null, log),
        codecs,
        decodeEvent: codecs.decoderOf<StepEvent>(stepEventSchema),
        documents: judgedByBuild(await shelveDocuments(store, policyText(policy), TAXONOMY, readOnce), build),
        encodeRecords: await createEncodeRecords(codecs, topics, false),
        control: await createControlWriter(broker, codecs, topics.steps),
        budget: createByteBudget(settings.inFlightBytes),
        recorder: silentRecorder,
        log,
        now,
        sleep,
        settings,
        ending: () => NO_RUNS,
        stopped: stopping.signal,
      },
      createSimulatedLane(world, caller, revocation.signal),
      laneName,
    );
    if (world.forgets) {
      const ended = AbortSignal.any([stopping.signal, revocation.signal]);
      const outage = createRetryOutage({ log, sleep, ended });
      const loss = () => settleLoss({ broker, store, log, recorder: silentRecorder, now }, laneName);
      await outage('looking for what the log has lost', loss).catch((error: unknown) => {
        if (!ended.aborted) throw error;
      });
    }
    await lane.run();
  };
  run().then(
    () => {
      end = { error: null };
    },
    (error: unknown) => {
      end = { error };
    },
  );
  return caller;
}
