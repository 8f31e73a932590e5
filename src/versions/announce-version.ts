import {
  type PolicyVersion,
  type PolicyVersionInit,
  policyVersionSchema,
} from '../../schemas/generated/policy-version.ts';
import type { Broker } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';
import type { Codecs } from '../registry/codecs.ts';
import type { AnnouncedVersions } from './announced-versions.ts';
import type { Placed } from './version-order.ts';

export interface AnnounceDeps {
  readonly broker: Pick<Broker, 'append' | 'bounds'>;
  readonly codecs: Codecs;
  readonly versions: AnnouncedVersions;
  /** Name of policy.versions. */
  readonly topic: string;
}

/** Announces weights: resolves with their place in the order once that is durable. RS_CHECK_FAILED names what is refused. */
export type AnnounceVersion = (announced: PolicyVersion) => Promise<number>;

const READ_BACK_MS = 100;

/**
 * THE LOG DECIDES. Checked before it is written, and again where it landed: 1 two servers check `v5`, which nobody has; 2 both
 * write it; 3 the first in the log has the name, the other is told so.
 */
export async function createAnnounceVersion({
  broker,
  codecs,
  versions,
  topic,
}: AnnounceDeps): Promise<AnnounceVersion> {
  const encode = await codecs.encoderOf<PolicyVersionInit>(`${topic}-value`, policyVersionSchema);
  return async function announceVersion(announced) {
    await versions.readOn(0);
    const before = versions.place(announced);
    if (before.kind !== 'new') return ordinalOf(before);
    const [at] = await broker.append(topic, [{ key: announced.run_id, value: encode(announced), partition: 0 }]);
    while (at !== undefined && versions.position() <= at.offset) await versions.readOn(READ_BACK_MS);
    return ordinalOf(versions.place(announced));
  };
}

function ordinalOf(placed: Placed): number {
  if (placed.kind === 'repeat') return placed.of.ordinal;
  if (placed.kind === 'new') throw new Error('what was read back from the log has no place in its order');
  throw new RollstreamError('RS_CHECK_FAILED', `${placed.field}: ${placed.why}`, { facts: { field: placed.field } });
}
