import type { TopicSpec } from '../port.ts';
import { type TopicRule, topicRules } from './topic-rules.ts';
import type { Setting } from './topic-settings.ts';

/** A topic as the pipeline needs it. */
export interface WantedTopic extends TopicSpec {
  /** Records must be kept for at least so long; 'forever': never deleted. Compacted topics keep the last of each key. */
  readonly retentionMs: number | 'forever';
  /** One that exists may have any number of partitions. */
  readonly takesAnyCount: boolean;
  /** null: as the cluster says. */
  readonly replicationFactor: number | null;
}

/** A topic as it is. */
export interface FoundTopic {
  readonly name: string;
  readonly partitions: number;
  /** Of the partition that has the fewest. */
  readonly replicas: number;
  readonly isEmpty: boolean;
  readonly settings: ReadonlyMap<string, string>;
}

/** `refuse`: no setting heals it. `change`: a setting that could lose records. `advice`: a setting that could be better. */
export interface Finding {
  readonly kind: 'refuse' | 'change' | 'advice';
  readonly text: string;
}

export interface PlannedTopic {
  readonly topic: string;
  /** `keep` may still have advice. */
  readonly action: 'create' | 'change' | 'keep' | 'refuse';
  readonly partitions: number;
  /** null: as the cluster says. */
  readonly replicationFactor: number | null;
  /** To be set. */
  readonly settings: readonly Setting[];
  readonly findings: readonly Finding[];
}

/** What has to be done so that `found` becomes what is wanted; null: there is no such topic. */
export function planTopic(wanted: WantedTopic, found: FoundTopic | null): PlannedTopic {
  return found === null ? creation(wanted) : comparison(wanted, found);
}

function creation(wanted: WantedTopic): PlannedTopic {
  const rules = topicRules(wanted, wanted.replicationFactor);
  return {
    topic: wanted.name,
    action: 'create',
    partitions: wanted.partitions,
    replicationFactor: wanted.replicationFactor,
    settings: rules.filter(({ isDefault }) => !isDefault).map(({ name, value }) => ({ name, value })),
    findings: [],
  };
}

function comparison(wanted: WantedTopic, found: FoundTopic): PlannedTopic {
  const findings: Finding[] = [];
  const settings: Setting[] = [];
  if (!wanted.takesAnyCount && found.partitions !== wanted.partitions) {
    const text = `it has ${found.partitions} partitions, which cannot become ${wanted.partitions}: units would move to other lanes in the middle; take a new topic_prefix, or set partitions to ${found.partitions}`;
    findings.push({ kind: 'refuse', text });
  }
  for (const rule of topicRules(wanted, found.replicas)) {
    const value = found.settings.get(rule.name);
    // What a broker does not tell, because it is older or hides it, cannot be judged.
    if (value === undefined || rule.holds(value)) continue;
    const kind = kindOf(rule, found);
    findings.push({ kind, text: `${rule.name}=${value}, needed is ${rule.needed}: ${rule.why}` });
    if (kind !== 'refuse') settings.push({ name: rule.name, value: rule.value });
  }
  if (wanted.replicationFactor !== null && found.replicas < wanted.replicationFactor) {
    const text = `it has ${found.replicas} copies, kafka.replication_factor is ${wanted.replicationFactor}: move its partitions with kafka-reassign-partitions`;
    findings.push({ kind: 'advice', text });
  }
  return {
    topic: wanted.name,
    action: actionOf(findings, settings),
    partitions: found.partitions,
    replicationFactor: found.replicas,
    settings,
    findings,
  };
}

function kindOf(rule: TopicRule, found: FoundTopic): Finding['kind'] {
  if (!rule.isGuarantee) return 'advice';
  return rule.heals || found.isEmpty ? 'change' : 'refuse';
}

function actionOf(findings: readonly Finding[], settings: readonly Setting[]): PlannedTopic['action'] {
  if (findings.some(({ kind }) => kind === 'refuse')) return 'refuse';
  if (findings.some(({ kind }) => kind === 'change')) return 'change';
  return settings.length > 0 ? 'change' : 'keep';
}
