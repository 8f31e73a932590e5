import type { Documents } from '../../../processors/decide/judge.ts';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import type { Policy } from '../../../processors/model/policy.ts';
import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { DocumentRow } from '../../clickhouse/tables/documents.ts';
import { mustRead } from '../../lanes/read-document.ts';

/** Documents from their texts, by hash: for the thread that scores by them. */
export function readDocuments(rows: readonly DocumentRow[]): Documents {
  const policies = new Map<string, Policy>();
  const taxonomies = new Map<string, Taxonomy>();
  for (const { kind, content } of rows) {
    if (kind === 'policy') {
      const policy = mustRead({ text: content, where: 'the policy' }, readPolicy).value;
      policies.set(policy.id, policy);
    } else {
      const taxonomy = mustRead({ text: content, where: 'the taxonomy' }, readTaxonomy).value;
      taxonomies.set(taxonomy.id, taxonomy);
    }
  }
  const known = <T>(documents: ReadonlyMap<string, T>, id: string): T => {
    const document = documents.get(id);
    if (document === undefined) throw new Error(`document ${id} is used before it was loaded`);
    return document;
  };
  return { policyOf: (id) => known(policies, id), taxonomyOf: (id) => known(taxonomies, id) };
}
