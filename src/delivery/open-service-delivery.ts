import type { Logger } from 'pino';
import type { App } from '../app.ts';
import { createUnreadable } from '../blobs/create-unreadable.ts';
import type { Config } from '../config/config.ts';
import { sleep } from '../lanes/sleep.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createConfiguredPolicy } from '../policies/configured-policy.ts';
import { goneRunsOf } from '../runs/gone-runs-of.ts';
import { createAnnouncedVersions } from '../versions/announced-versions.ts';
import { type OpenDelivery, openDelivery } from './open-delivery.ts';
import { createTakeRuleOf } from './take-rule.ts';

export interface ServiceDeliveryDeps {
  /** Where others reach this server; null: it serves nobody, and leaves leases to those that do. */
  readonly url: string | null;
  readonly log: Logger;
  readonly recorder: Recorder;
}

/** Delivery of a server. One that owns its data alone answers nobody before it can grant. */
export async function openServiceDelivery(
  app: App,
  { delivery: settings, services }: Config,
  { url, log, recorder }: ServiceDeliveryDeps,
): Promise<OpenDelivery> {
  const { broker, store, codecs, topics, now } = app;
  const { runs } = app;
  const takeRuleOf = createTakeRuleOf(createConfiguredPolicy(store, app.settings), () => performance.now());
  const opened = await openDelivery({
    ...{ broker, store, codecs, topics, settings, url, log, recorder, sleep },
    // Its own: who announces must not wait for a read that waits for announcements.
    versions: createAnnouncedVersions({ broker, codecs, log, topic: topics.policyVersions }),
    // Asked at each look of a lease: who waits while its run is closed hears of it, too.
    async takeRuleOf(run) {
      runs.refuseClosed(run);
      return takeRuleOf(run);
    },
    gone: goneRunsOf(runs),
    checkBlobs: createUnreadable(app.blobs),
    group: `${app.group}.delivery`,
    nowMs: now,
  });
  if (url !== null && services === null) await Promise.race([opened.serving, opened.failed]);
  return opened;
}
