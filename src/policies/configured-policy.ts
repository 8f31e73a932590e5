import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Store } from '../clickhouse/port.ts';
import { configuredPolicy } from '../lanes/documents.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { mustRead } from '../lanes/read-document.ts';

/** What decides now, as of each call; read anew only when its text has changed. */
export function createConfiguredPolicy(store: Pick<Store, 'query'>, settings: LaneSettings): () => Promise<Policy> {
  let known: { readonly text: string; readonly policy: Policy } | null = null;
  return async function policyNow() {
    const document = await configuredPolicy(store, settings);
    if (known?.text !== document.text) known = { text: document.text, policy: mustRead(document, readPolicy).value };
    return known.policy;
  };
}
