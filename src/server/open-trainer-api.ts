import type { Logger } from 'pino';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { Policy } from '../../processors/model/policy.ts';
import { type Admission, createAdmission } from '../admission/admission.ts';
import { createGrantKeeper } from '../admission/kept-grants.ts';
import type { App } from '../app.ts';
import { configuredPolicy } from '../lanes/documents.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { mustRead } from '../lanes/read-document.ts';
import { type AnnounceVersion, createAnnounceVersion } from '../versions/announce-version.ts';
import { createAnnouncedVersions } from '../versions/announced-versions.ts';

/** What a trainer, and whoever starts rollouts for it, ask a server beside the data itself. */
export interface TrainerApi {
  readonly announceVersion: AnnounceVersion;
  readonly admission: Admission;
}

export async function openTrainerApi(
  { broker, codecs, store, topics }: App,
  settings: LaneSettings,
  { log, now }: { readonly log: Logger; readonly now: () => number },
): Promise<TrainerApi> {
  const topic = topics.policyVersions;
  const versions = createAnnouncedVersions({ broker, codecs, log, topic });
  let known: { readonly text: string; readonly policy: Policy } | null = null;
  const policy = async (): Promise<Policy> => {
    const document = await configuredPolicy(store, settings);
    if (known?.text !== document.text) known = { text: document.text, policy: mustRead(document, readPolicy).value };
    return known.policy;
  };
  return {
    announceVersion: await createAnnounceVersion({ broker, codecs, versions, topic }),
    admission: createAdmission({
      store,
      versions,
      keeper: createGrantKeeper(broker, topics.state),
      policy,
      now,
      elapsed: () => performance.now(),
    }),
  };
}
