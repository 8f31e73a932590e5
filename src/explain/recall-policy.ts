import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { Policy } from '../../processors/model/policy.ts';
import { readDocument } from '../clickhouse/documents-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import { documentIdOf } from '../lanes/read-document.ts';
import { readYamlText, type YamlText } from '../lanes/yaml-text.ts';
import { shippedPolicies, shippedPolicyFile } from '../policies/shipped-policies.ts';

/** A policy that decided something: its rules, and its text with the line of each. */
export interface RecalledPolicy {
  readonly policy: Policy;
  readonly text: string;
  readonly yaml: YamlText;
  /** The shipped or configured file that has this text, as it is named; null: none has. */
  readonly file: string | null;
}

export interface PolicyRecall {
  /** By its id, from the store; null: the store does not hold it. */
  policyOf(id: string): Promise<RecalledPolicy | null>;
  /** Those that are shipped. */
  shipped(): Promise<readonly RecalledPolicy[]>;
}

/** `policyFile`: the configured one. Each is read once. */
export function createPolicyRecall(store: Pick<Store, 'query'>, policyFile: string | undefined): PolicyRecall {
  const known = new Map<string, Promise<RecalledPolicy | null>>();
  let shippedOnce: Promise<readonly RecalledPolicy[]> | null = null;

  const shipped = () => {
    shippedOnce ??= Promise.all(shippedPolicies().map(shippedPolicyFile).map(fromFile)).then((read) =>
      read.flatMap((policy) => policy ?? []),
    );
    return shippedOnce;
  };
  const recall = async (id: string): Promise<RecalledPolicy | null> => {
    const text = await readDocument(store, id);
    if (text === null) return null;
    const files = await shipped();
    const file = files.find(({ policy }) => policy.id === id)?.file ?? (await configured(id)) ?? null;
    return recalled(text, file);
  };
  const configured = async (id: string): Promise<string | undefined> =>
    policyFile !== undefined && documentIdOf((await textOf(policyFile)) ?? '') === id ? policyFile : undefined;

  return {
    policyOf(id) {
      const policy = known.get(id) ?? recall(id);
      known.set(id, policy);
      return policy;
    },
    shipped,
  };
}

async function fromFile(file: string): Promise<RecalledPolicy | null> {
  const text = await textOf(file);
  return text === null ? null : recalled(text, basename(file));
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}

/** null: a text that this build cannot read. */
function recalled(text: string, file: string | null): RecalledPolicy | null {
  const yaml = readYamlText(text);
  if (!('value' in yaml)) return null;
  const read = readPolicy(yaml.value, documentIdOf(text));
  return read.kind === 'ok' ? { policy: read.value, text, yaml, file } : null;
}
