import type { Documents } from '../../processors/decide/judge.ts';
import { policyAgainstTaxonomy } from '../../processors/decide/policy-against-taxonomy.ts';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { DocumentIds } from '../../processors/model/control.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Taxonomy } from '../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import { readLastApplied } from '../clickhouse/applied-lookup.ts';
import { readDocument as readStored } from '../clickhouse/documents-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeDocuments } from '../clickhouse/tables/documents.ts';
import { packageFile } from '../config/package-file.ts';
import { topicNames } from '../config/topics.ts';
import { RollstreamError } from '../errors.ts';
import { shippedPolicyFile } from '../policies/shipped-policies.ts';
import type { LaneSettings } from './lane-settings.ts';
import { type DocumentText, mustRead, type ReadDocument, readDocumentFile, refusal } from './read-document.ts';

/** Policies and taxonomies by hash: those that should be in force, and those that the log says were. */
export interface DocumentShelf extends Documents {
  /** What should be in force: policy_file; without it the policy that was applied last, as of the last `load`. */
  readonly configured: DocumentIds;
  /** Makes sure that these can be asked for; from the store if need be. RS_CONFIG when nobody has kept one. */
  load(ids: DocumentIds): Promise<void>;
}

type DocumentSettings = Pick<LaneSettings, 'policyFile' | 'taxonomyFile' | 'topicPrefix'>;

/** Reads the documents that should be in force, and keeps them in the store before anything is decided by them. */
export async function openDocuments(store: Store, settings: DocumentSettings): Promise<DocumentShelf> {
  const taxonomy = await taxonomyText(settings);
  const policy = await configuredPolicy(store, settings);
  refuseMismatch(policy, taxonomy);
  const shelf = await shelveDocuments(store, policy, taxonomy);
  if (settings.policyFile !== undefined) return shelf;
  const topic = topicNames(settings.topicPrefix).steps;
  let { configured } = shelf;
  return {
    ...shelf,
    get configured() {
      return configured;
    },
    // A lane that is restored must not put back what was configured when its process began: 1 worker A starts under P0; 2 P1 is
    // applied; 3 A takes a partition over that is under P1, and would write P0.
    async load(ids) {
      await shelf.load(ids);
      const last = await readLastApplied(store, topic);
      if (last === null) return;
      const now = { ...configured, policy_id: last.policy_id };
      await shelf.load(now);
      configured = now;
    },
  };
}

/** The policy that a start puts in force: policy_file; else what was applied last; else the default. */
export async function configuredPolicy(
  store: Pick<Store, 'query'>,
  { policyFile, topicPrefix }: DocumentSettings,
): Promise<DocumentText> {
  if (policyFile !== undefined) return readDocumentFile(policyFile);
  const last = await readLastApplied(store, topicNames(topicPrefix).steps);
  if (last === null) return readDocumentFile(shippedPolicyFile('default'));
  return { text: await kept(store, last.policy_id), where: `the policy applied last, ${last.policy_id}` };
}

export function taxonomyText({ taxonomyFile }: DocumentSettings): Promise<DocumentText> {
  return readDocumentFile(taxonomyFile ?? packageFile('processors/taxonomy/taxonomy.yaml'));
}

/** The same, of documents that were read already; `read` makes what is decided by of a text. */
export async function shelveDocuments(
  store: Store,
  policyText: DocumentText,
  taxonomyText: DocumentText,
  read = { policy: policyOfText, taxonomy: taxonomyOfText },
): Promise<DocumentShelf> {
  const policies = new Map<string, Policy>();
  const taxonomies = new Map<string, Taxonomy>();
  const addPolicy = (document: DocumentText) => {
    const policy = read.policy(document);
    policies.set(policy.id, policy);
    return policy.id;
  };
  const addTaxonomy = (document: DocumentText) => {
    const taxonomy = read.taxonomy(document);
    taxonomies.set(taxonomy.id, taxonomy);
    return taxonomy.id;
  };
  const configured = { policy_id: addPolicy(policyText), taxonomy_id: addTaxonomy(taxonomyText) };
  await store.insert(
    encodeDocuments([
      { kind: 'policy', content: policyText.text },
      { kind: 'taxonomy', content: taxonomyText.text },
    ]),
  );
  const loaded = <T>(known: ReadonlyMap<string, T>, id: string): T => {
    const document = known.get(id);
    if (document === undefined) throw new Error(`document ${id} is used before it was loaded`);
    return document;
  };
  return {
    configured,
    async load({ policy_id, taxonomy_id }) {
      if (!policies.has(policy_id)) addPolicy({ text: await kept(store, policy_id), where: `policy ${policy_id}` });
      if (!taxonomies.has(taxonomy_id))
        addTaxonomy({ text: await kept(store, taxonomy_id), where: `taxonomy ${taxonomy_id}` });
    },
    policyOf: (id) => loaded(policies, id),
    taxonomyOf: (id) => loaded(taxonomies, id),
  };
}

export function policyOfText(document: DocumentText): Policy {
  return mustRead(document, readPolicy).value;
}

export function taxonomyOfText(document: DocumentText): Taxonomy {
  return mustRead(document, readTaxonomy).value;
}

/** A rule for a code that the taxonomy does not know never fires; a category without a rule would be quarantined unasked. */
export function refuseMismatch(policyText: DocumentText, taxonomyText: DocumentText): ReadDocument<Policy> {
  const policy = mustRead(policyText, readPolicy);
  const faults = policy.faultsOf(policyAgainstTaxonomy(policy.value, mustRead(taxonomyText, readTaxonomy).value));
  if (faults.length > 0) throw refusal(faults);
  return policy;
}

async function kept(store: Pick<Store, 'query'>, id: string): Promise<string> {
  const content = await readStored(store, id);
  if (content === null)
    throw new RollstreamError(
      'RS_CONFIG',
      `a decision needs the document ${id}, which the log says was in force, and the store does not hold it`,
    );
  return content;
}
