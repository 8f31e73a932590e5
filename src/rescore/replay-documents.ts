import { policyAgainstTaxonomy } from '../../processors/decide/policy-against-taxonomy.ts';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { DocumentIds } from '../../processors/model/control.ts';
import type { LaneHistoryDeps } from '../../processors/replay/create-lane-history.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import { readDocument } from '../clickhouse/documents-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import type { DocumentRow } from '../clickhouse/tables/documents.ts';
import { RollstreamError } from '../errors.ts';
import { refuseMismatch, taxonomyText } from '../lanes/documents.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { type DocumentText, mustRead, refusal } from '../lanes/read-document.ts';
import type { ReplayRequest } from './replay-request.ts';

type Asked = Pick<ReplayRequest, 'policy' | 'taxonomy'>;

/** Ids of the documents that a request names; RS_CONFIG tells what is wrong with them, by line. */
export async function readAsked(
  { policy, taxonomy }: Asked,
  settings: Pick<LaneSettings, 'policyFile' | 'taxonomyFile' | 'topicPrefix'>,
): Promise<Partial<DocumentIds>> {
  const override: { policy_id?: string; taxonomy_id?: string } = {};
  if (taxonomy !== null) override.taxonomy_id = mustRead(taxonomy, readTaxonomy).value.id;
  // Without one it is asked with the one that decided then, which is not known yet; that of now says what is misspelt.
  if (policy !== null) override.policy_id = refuseMismatch(policy, taxonomy ?? (await taxonomyText(settings))).value.id;
  return override;
}

/** The same documents as rows of `documents`. */
export function askedRows({ policy, taxonomy }: Asked): DocumentRow[] {
  return [
    ...(policy === null ? [] : [{ kind: 'policy', content: policy.text } as const]),
    ...(taxonomy === null ? [] : [{ kind: 'taxonomy', content: taxonomy.text } as const]),
  ];
}

/**
 * All documents that the histories of lanes name, what was asked for in the place of those. Each policy is held to each taxonomy
 * that it may meet where one of the two was asked for: a rule for a code that is not there never fires.
 */
export async function documentsOf(
  store: Pick<Store, 'query'>,
  asked: Asked,
  histories: readonly LaneHistoryDeps[],
): Promise<DocumentRow[]> {
  const named = { policies: new Set<string>(), taxonomies: new Set<string>() };
  const add = (ids: DocumentIds): void => {
    if (ids.policy_id !== '') named.policies.add(ids.policy_id);
    if (ids.taxonomy_id !== '') named.taxonomies.add(ids.taxonomy_id);
  };
  for (const { initial, controls } of histories) {
    add(initial);
    for (const { event } of controls) if (event.control?.policy != null) add(event.control.policy);
  }
  const textsOf = async (kind: DocumentRow['kind'], document: DocumentText | null, ids: ReadonlySet<string>) => {
    if (document !== null) return [document];
    return Promise.all([...ids].map(async (id) => ({ text: await kept(store, id), where: `${kind} ${id}` })));
  };
  const policies = await textsOf('policy', asked.policy, named.policies);
  const taxonomies = await textsOf('taxonomy', asked.taxonomy, named.taxonomies);
  if (asked.policy !== null || asked.taxonomy !== null) refuseAnyMismatch(policies, taxonomies);
  return [
    ...policies.map(({ text }) => ({ kind: 'policy', content: text }) as const),
    ...taxonomies.map(({ text }) => ({ kind: 'taxonomy', content: text }) as const),
  ];
}

function refuseAnyMismatch(policies: readonly DocumentText[], taxonomies: readonly DocumentText[]): void {
  for (const document of taxonomies) {
    const taxonomy = mustRead(document, readTaxonomy).value;
    for (const policy of policies) {
      const { value, faultsOf } = mustRead(policy, readPolicy);
      const faults = faultsOf(policyAgainstTaxonomy(value, taxonomy));
      if (faults.length > 0) {
        const { message, facts } = refusal(faults);
        throw new RollstreamError('RS_CONFIG', `${message}; under ${document.where}`, { facts });
      }
    }
  }
}

async function kept(store: Pick<Store, 'query'>, id: string): Promise<string> {
  const content = await readDocument(store, id);
  if (content !== null) return content;
  throw new RollstreamError(
    'RS_CONFIG',
    `what is replayed was decided by the document ${id}, and the store does not hold it: name another with --policy or --taxonomy`,
  );
}
