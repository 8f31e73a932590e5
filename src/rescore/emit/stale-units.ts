import type { Logger } from 'pino';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import type { TakeRule } from '../../../processors/model/delivery.ts';
import type { Policy } from '../../../processors/model/policy.ts';
import type { Broker } from '../../broker/port.ts';
import { readDocument } from '../../clickhouse/documents-lookup.ts';
import type { Store } from '../../clickhouse/port.ts';
import { takeRule } from '../../delivery/take-rule.ts';
import { RollstreamError } from '../../errors.ts';
import { mustRead } from '../../lanes/read-document.ts';
import type { Codecs } from '../../registry/codecs.ts';
import { createAnnouncedVersions } from '../../versions/announced-versions.ts';
import type { KeptMember } from './read-members.ts';

export interface StaleDeps {
  readonly broker: Pick<Broker, 'bounds' | 'read'>;
  readonly store: Pick<Store, 'query'>;
  readonly codecs: Codecs;
  readonly log: Logger;
  /** Name of policy.versions. */
  readonly topic: string;
}

/** Places of the weights of a run that survive, by name. */
export interface Ages {
  readonly current: number;
  readonly ordinals: ReadonlyMap<string, number>;
}

/** Whether nothing of these members of a unit of the run could be leased by the weights that are announced now. */
export type IsStale = (runId: string, members: readonly KeptMember[]) => boolean;

/**
 * What would expire when a trainer asks for it need not be emitted. By the policy that the replay decided under: it is the one that
 * was asked for. Looks at policy.versions at each call.
 */
export function createLookAtAges(deps: StaleDeps): (members: Iterable<KeptMember>) => Promise<IsStale> {
  const versions = createAnnouncedVersions(deps);
  const policies = new Map<string, Policy>();

  const load = async (id: string): Promise<Policy> => {
    const text = await readDocument(deps.store, id);
    if (text === null) throw new RollstreamError('RS_CONFIG', `the store does not hold the policy ${id} of the replay`);
    return mustRead({ text, where: `policy ${id}` }, readPolicy).value;
  };

  return async function lookAtAges(members) {
    for (const id of new Set([...members].map(({ policyId }) => policyId)))
      if (!policies.has(id)) policies.set(id, await load(id));
    await versions.readOn(0);
    const runs = new Map<string, { current: number; readonly ordinals: Map<string, number> }>();
    for (const { runId, version, ordinal } of versions.since(0, Number.MAX_SAFE_INTEGER)) {
      const ages = runs.get(runId) ?? { current: 0, ordinals: new Map() };
      runs.set(runId, ages);
      ages.current = Math.max(ages.current, ordinal);
      ages.ordinals.set(version, ordinal);
    }
    return (runId, of) =>
      isUnitStale(of, runs.get(runId) ?? NOTHING_ANNOUNCED, ({ policyId, env }) => {
        const policy = policies.get(policyId);
        if (policy === undefined) throw new Error(`bug: policy ${policyId} was not loaded`);
        return takeRule(policy.scopeOf(runId, env).staleness);
      });
  };
}

const NOTHING_ANNOUNCED: Ages = { current: 0, ordinals: new Map() };

/** As delivery takes units (processors/delivery/take.ts): who expires alone leaves the others. */
export function isUnitStale(
  members: readonly KeptMember[],
  ages: Ages,
  ruleOf: (member: KeptMember) => TakeRule,
): boolean {
  const stale = members.filter((member) => isTooOld(member.versions, ages, ruleOf(member)));
  const [first] = stale;
  if (first === undefined) return false;
  return stale.length === members.length || ruleOf(first).atTake === 'group';
}

/** As delivery says it (processors/delivery/run-books.ts). */
function isTooOld(versions: readonly string[], { current, ordinals }: Ages, rule: TakeRule): boolean {
  if (rule.atTake === 'keep') return false;
  const places = versions.map((version) => ordinals.get(version));
  if (rule.expiresUnknown && places.includes(undefined)) return true;
  const oldest = Math.min(...places.map((place) => place ?? Number.POSITIVE_INFINITY));
  return rule.maxLag !== null && current - oldest > rule.maxLag;
}
