import type { Logger } from 'pino';
import { type Admission, createAdmission } from '../admission/admission.ts';
import { createGrantKeeper } from '../admission/kept-grants.ts';
import type { App } from '../app.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { createConfiguredPolicy } from '../policies/configured-policy.ts';
import { type AnnounceVersion, createAnnounceVersion } from '../versions/announce-version.ts';
import { createAnnouncedVersions } from '../versions/announced-versions.ts';

/** What a trainer, and whoever starts rollouts for it, ask a server beside the data itself. */
export interface TrainerApi {
  readonly announceVersion: AnnounceVersion;
  readonly admission: Admission;
}

export interface TrainerApiDeps {
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Resolves when what stands in policy.versions below this offset counts in delivery: who then leases gets nothing that is too old. */
  readonly announcedTo: (position: number) => Promise<void>;
}

export async function openTrainerApi(
  { broker, codecs, store, topics, runs }: App,
  settings: LaneSettings,
  { log, now, announcedTo }: TrainerApiDeps,
): Promise<TrainerApi> {
  const topic = topics.policyVersions;
  const versions = createAnnouncedVersions({ broker, codecs, log, topic });
  const announce = await createAnnounceVersion({ broker, codecs, versions, topic });
  const admission = createAdmission({
    store,
    versions,
    keeper: createGrantKeeper(broker, topics.state),
    policy: createConfiguredPolicy(store, settings),
    now,
    elapsed: () => performance.now(),
  });
  return {
    async announceVersion(announced) {
      const ordinal = await announce(announced);
      await announcedTo(versions.position());
      return ordinal;
    },
    async admission(request) {
      runs.refuseClosed(request.runId);
      return admission(request);
    },
  };
}
