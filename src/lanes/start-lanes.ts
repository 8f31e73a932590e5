import { type StepEvent, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { laneGroup, topicNames } from '../config/topics.ts';
import { type DeepAuditor, NO_DEEP_AUDITOR } from '../deep-audits/deep-auditor.ts';
import { createForwardHeld } from '../gate/forward-held.ts';
import { createCodecs } from '../registry/codecs.ts';
import { createAnnouncedVersions } from '../versions/announced-versions.ts';
import { createByteBudget } from './byte-budget.ts';
import { createControlWriter } from './control-writer.ts';
import { openDocuments } from './documents.ts';
import { createForwardVersions } from './forward-versions.ts';
import { createLane } from './lane.ts';
import type { LaneSettings } from './lane-settings.ts';
import { createLaneSpace } from './lane-space.ts';
import type { Lanes, LanesDeps } from './lanes.ts';
import { createEncodeRecords } from './out-records.ts';
import { createRetryOutage } from './retry-outage.ts';
import { settleLoss } from './settle-loss.ts';
import { sleep } from './sleep.ts';

/** Joins the consumer group of rollout.steps and works on each partition it is given. */
export async function startLanes(deps: LanesDeps, settings: LaneSettings): Promise<Lanes> {
  const { broker, store, registry, log, now, recorder } = deps;
  const topics = topicNames(settings.topicPrefix);
  const group = laneGroup(settings.topicPrefix);
  const codecs = createCodecs(registry);
  const space = createLaneSpace(deps.blobs ?? null, log);
  const stopping = new AbortController();
  const shared = {
    broker,
    store,
    space,
    codecs,
    decodeEvent: codecs.decoderOf<StepEvent>(stepEventSchema),
    documents: await openDocuments(store, settings),
    encodeRecords: await createEncodeRecords(codecs, topics, space.blobs !== null),
    control: await createControlWriter(broker, codecs, topics.steps),
    budget: createByteBudget(settings.inFlightBytes, recorder.bytesInFlight),
    auditor: await openAuditor(settings, log),
    recorder,
    log,
    now,
    sleep,
    settings,
    ending: deps.ending ?? (() => new Set<string>()),
    stopped: stopping.signal,
  };
  const forwardVersions = createForwardVersions({
    broker,
    versions: createAnnouncedVersions({ broker, codecs, log, topic: topics.policyVersions }),
    control: shared.control,
    log,
    sleep,
    group,
    stepsTopic: topics.steps,
    versionsTopic: topics.policyVersions,
  });
  const held = createForwardHeld({
    broker,
    store,
    codecs,
    log,
    sleep,
    now,
    group,
    heldTopic: topics.held,
    readyTopic: topics.ready,
    stateTopic: topics.state,
  });
  const lanes = new Map<number, ReturnType<typeof createLane>>();
  const running = new Set<Promise<void>>();
  const membership = await broker.join(group, topics.steps, async (lane) => {
    const { partition } = lane;
    const name = { group, topic: topics.steps, partition, stateTopic: topics.state };
    const worker = createLane(shared, lane, name);
    lanes.set(partition, worker);
    const ended = AbortSignal.any([stopping.signal, lane.revoked]);
    const outage = createRetryOutage({ log, sleep, ended });
    const settled = outage('looking for what the log has lost', () => settleLoss(deps, name)).catch(
      (error: unknown) => {
        // Then the worker ends too, and says why.
        if (!ended.aborted) throw error;
      },
    );
    const run = settled.then(() => worker.run());
    running.add(run);
    const over = new AbortController();
    const untilOver = AbortSignal.any([ended, over.signal]);
    const forwarding = forwardVersions(partition, untilOver);
    // One forwards what was held: whoever has the first lane.
    const forwardingHeld = partition === 0 ? held.forward(untilOver) : null;
    const work = run.finally(() => {
      over.abort();
      running.delete(run);
      // By then another process may have it: what we know of it is old.
      if (lanes.get(partition) === worker && lane.revoked.aborted) lanes.delete(partition);
    });
    await Promise.all([work, forwarding, forwardingHeld]);
  });
  const failed = new Promise<never>((_, reject) => membership.done.catch(reject));
  // Whoever never looks at `failed` must not end the process by that: close() reports it too.
  failed.catch(() => undefined);
  return {
    status: () => [...lanes.values()].map((lane) => lane.status()),
    async drained() {
      const waits = [...lanes].map(async ([partition, lane]) =>
        lane.drained((await broker.bounds(topics.steps, partition)).end),
      );
      const all = Promise.all(waits).then(() => held.drained());
      await Promise.race([all, failed]);
    },
    async restored() {
      await Promise.race([Promise.all([...lanes.values()].map((lane) => lane.restored)), failed]);
    },
    failed,
    async close() {
      stopping.abort();
      // Before the lanes are revoked: a revoked one may not flush.
      await Promise.allSettled(running);
      await membership.leave();
      await membership.done;
      await shared.auditor.close();
    },
  };
}

/** Threads and tokenizers only where some are configured. */
async function openAuditor({ audits }: LaneSettings, log: LanesDeps['log']): Promise<DeepAuditor> {
  if (audits === undefined) return NO_DEEP_AUDITOR;
  const { openDeepPool } = await import('../deep-audits/open-deep-pool.ts');
  return openDeepPool(audits, log);
}
