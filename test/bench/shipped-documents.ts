import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Documents } from '../../processors/decide/judge.ts';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { InForce } from '../../processors/model/control.ts';
import { NO_GATES } from '../../processors/model/gate.ts';
import type { Parsed } from '../../processors/model/taxonomy.ts';
import { NO_WEIGHTS } from '../../processors/model/weights.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../src/config/package-file.ts';

/** The policy and the taxonomy that are shipped, without a store. */
export function shippedDocuments(): Documents & { readonly inForce: InForce } {
  const policy = read('processors/decide/policies/default.yaml', readPolicy);
  const taxonomy = read('processors/taxonomy/taxonomy.yaml', readTaxonomy);
  return {
    inForce: { policy_id: policy.id, taxonomy_id: taxonomy.id, weights: NO_WEIGHTS, gates: NO_GATES },
    policyOf: () => policy,
    taxonomyOf: () => taxonomy,
  };
}

function read<T>(file: string, reader: (document: unknown, id: string) => Parsed<T>): T {
  const text = readFileSync(packageFile(file), 'utf8');
  const result = reader(parse(text), createHash('sha256').update(text).digest('hex'));
  if (result.kind === 'ok') return result.value;
  throw new Error(`${file}: ${JSON.stringify(result.problems)}`);
}
