import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Documents } from '../../processors/decide/judge.ts';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { InForce } from '../../processors/model/control.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Parsed, Taxonomy } from '../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import { readDocument } from '../clickhouse/documents-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeDocuments } from '../clickhouse/tables/documents.ts';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';

/** Policies and taxonomies by hash: the configured ones, and those that the log says were in force. */
export interface DocumentShelf extends Documents {
  /** What the configuration says should be in force. */
  readonly configured: InForce;
  /** Makes sure that these can be asked for; from the store if need be. RS_CONFIG when nobody has kept one. */
  load(inForce: InForce): Promise<void>;
}

/** A document's text and where it is, for whoever has to mend it. */
export interface DocumentText {
  readonly text: string;
  readonly where: string;
}

/** Reads the configured documents, and keeps them in the store before anything is decided by them. */
export async function openDocuments(
  store: Store,
  files: { policyFile?: string; taxonomyFile?: string },
): Promise<DocumentShelf> {
  const policyFile = files.policyFile ?? packageFile('processors/decide/policies/default.yaml');
  const taxonomyFile = files.taxonomyFile ?? packageFile('processors/taxonomy/taxonomy.yaml');
  const policy = { text: await readText(policyFile), where: policyFile };
  const taxonomy = { text: await readText(taxonomyFile), where: taxonomyFile };
  refuseMismatch(policy, taxonomy);
  return shelveDocuments(store, policy, taxonomy);
}

/** The same, of documents that were read already. */
export async function shelveDocuments(
  store: Store,
  policyText: DocumentText,
  taxonomyText: DocumentText,
): Promise<DocumentShelf> {
  const policies = new Map<string, Policy>();
  const taxonomies = new Map<string, Taxonomy>();
  const addPolicy = (text: string, where: string) => {
    const policy = parsed(text, where, readPolicy);
    policies.set(policy.id, policy);
    return policy.id;
  };
  const addTaxonomy = (text: string, where: string) => {
    const taxonomy = parsed(text, where, readTaxonomy);
    taxonomies.set(taxonomy.id, taxonomy);
    return taxonomy.id;
  };
  const configured = {
    policy_id: addPolicy(policyText.text, policyText.where),
    taxonomy_id: addTaxonomy(taxonomyText.text, taxonomyText.where),
  };
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
      if (!policies.has(policy_id)) addPolicy(await kept(store, policy_id), `policy ${policy_id}`);
      if (!taxonomies.has(taxonomy_id)) addTaxonomy(await kept(store, taxonomy_id), `taxonomy ${taxonomy_id}`);
    },
    policyOf: (id) => loaded(policies, id),
    taxonomyOf: (id) => loaded(taxonomies, id),
  };
}

/** A rule for a code that the taxonomy does not know never fires; a category without a rule would be quarantined unasked. */
function refuseMismatch(policyText: DocumentText, taxonomyText: DocumentText): void {
  const policy = parsed(policyText.text, policyText.where, readPolicy);
  const taxonomy = parsed(taxonomyText.text, taxonomyText.where, readTaxonomy);
  const problems = [
    ...[...policy.codes.keys()]
      .filter((code) => !taxonomy.categories.has(code))
      .map((code) => `codes.${code}: the taxonomy has no such code`),
    ...[...new Set(taxonomy.categories.values())]
      .filter((category) => !policy.categories.has(category))
      .map((category) => `categories.${category}: the taxonomy has this category, the policy no rule for it`),
  ];
  if (problems.length > 0) throw new RollstreamError('RS_CONFIG', `${policyText.where}: ${problems.join('; ')}`);
}

function parsed<T>(text: string, where: string, read: (document: unknown, id: string) => Parsed<T>): T {
  const result = read(parseYaml(text, where), createHash('sha256').update(text).digest('hex'));
  if (result.kind === 'ok') return result.value;
  const first = result.problems
    .slice(0, 5)
    .map(({ path, expected, got }) => `${path}: expected ${expected}, got ${got}`);
  throw new RollstreamError('RS_CONFIG', `${where}: ${first.join('; ')}`);
}

function parseYaml(text: string, where: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new RollstreamError(
      'RS_CONFIG',
      `${where} is not YAML: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new RollstreamError('RS_CONFIG', `${file} cannot be read`, { cause });
  }
}

async function kept(store: Store, id: string): Promise<string> {
  const content = await readDocument(store, id);
  if (content === null)
    throw new RollstreamError(
      'RS_CONFIG',
      `a decision needs the document ${id}, which the log says was in force, and the store does not hold it`,
    );
  return content;
}
