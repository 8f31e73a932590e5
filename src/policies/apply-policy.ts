import type { Broker } from '../broker/port.ts';
import { readLastApplied } from '../clickhouse/applied-lookup.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeApplied } from '../clickhouse/tables/applied.ts';
import { encodeDocuments } from '../clickhouse/tables/documents.ts';
import { topicNames } from '../config/topics.ts';
import { RollstreamError } from '../errors.ts';
import { createControlWriter } from '../lanes/control-writer.ts';
import { configuredPolicy, refuseMismatch, taxonomyText } from '../lanes/documents.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import { type DocumentText, documentIdOf } from '../lanes/read-document.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { Codecs } from '../registry/codecs.ts';

export interface ApplyPolicyDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly codecs: Codecs;
  readonly settings: LaneSettings;
  /** ms since the epoch. */
  readonly now: () => number;
}

export interface AppliedPolicy {
  readonly policy_id: string;
  readonly name: string;
  readonly taxonomy_id: string;
  /** What a start would have put in force before. */
  readonly before: string;
  /** Partitions that have an event which puts it in force from there on. */
  readonly partitions: number;
}

export type ApplyPolicy = (document: DocumentText) => Promise<AppliedPolicy>;

/**
 * Puts a policy in force: the document and what was applied go to the store BEFORE the events, which lanes could not obey
 * without them: 1 the events are written, the process dies; 2 a lane folds one, and no store holds what it names.
 * One at a time: two at once could end differently in different partitions.
 */
export function createApplyPolicy({ broker, store, codecs, settings, now }: ApplyPolicyDeps): ApplyPolicy {
  const topic = topicNames(settings.topicPrefix).steps;
  const oneAtATime = createOneAtATime();
  const apply = async (document: DocumentText): Promise<AppliedPolicy> => {
    if (settings.policyFile !== undefined)
      throw new RollstreamError(
        'RS_CONFIG',
        `policy_file names ${settings.policyFile}: the next start would put that in force again; change the file, or take policy_file out of the configuration`,
        { facts: { field: 'policy_file' } },
      );
    const taxonomy = await taxonomyText(settings);
    const policy = refuseMismatch(document, taxonomy).value;
    const before = documentIdOf((await configuredPolicy(store, settings)).text);
    await store.insert(
      encodeDocuments([
        { kind: 'policy', content: document.text },
        { kind: 'taxonomy', content: taxonomy.text },
      ]),
    );
    const number = ((await readLastApplied(store, topic))?.number ?? 0) + 1;
    await store.insert(encodeApplied({ topic, number, policyId: policy.id, name: policy.name, appliedAtMs: now() }));
    const control = await createControlWriter(broker, codecs, topic);
    const partitions = await broker.partitionsOf(topic);
    const inForce = { policy_id: policy.id, taxonomy_id: documentIdOf(taxonomy.text) };
    for (let partition = 0; partition < partitions; partition += 1) await control.policy(partition, inForce);
    return { ...inForce, name: policy.name, before, partitions };
  };
  return (document) => oneAtATime(() => apply(document));
}
