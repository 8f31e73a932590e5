import type { WantedTopic } from './topic-plan.ts';
import { MAX_BATCH_BYTES, type Setting, topicSettings } from './topic-settings.ts';

/** What one setting of a topic has to be, and why. */
export interface TopicRule extends Setting {
  holds(value: string): boolean;
  readonly needed: string;
  readonly why: string;
  /** Else records can be lost or misread. */
  readonly isGuarantee: boolean;
  /** Setting it makes the records that are there already good too. */
  readonly heals: boolean;
  /** Kafka's own value, not set on creation. */
  readonly isDefault: boolean;
}

const UNLIMITED = -1;
/** A topic that is created keeps no less than one made by hand would. */
const CLUSTER_DEFAULT_MS = 7 * 24 * 60 * 60 * 1000;
/** From so many copies on, a write waits for a second one: one broker may then be lost. */
const COPIES_OF_A_CLUSTER = 3;

const WHY: Readonly<Record<string, { readonly why: string; readonly heals: boolean }>> = {
  'cleanup.policy': { why: 'what was compacted or deleted is gone', heals: false },
  'message.timestamp.type': {
    why: 'deadlines and decided_at are times of the broker, and never go back within a partition',
    heals: false,
  },
  'compression.type': { why: 'token ids and logprobs do not shrink, and no codec but gzip can be read', heals: true },
};

/** Rules for a topic with so many copies; null: not known. */
export function topicRules(topic: WantedTopic, replicas: number | null): TopicRule[] {
  const rules = topicSettings(topic.compacted).map(({ name, value }): TopicRule => {
    if (name === 'max.message.bytes') return batchRule(value);
    const isCompression = name === 'compression.type';
    return {
      name,
      value,
      // Producers of others may choose: what they chose is refused when it is read, if it has to be.
      holds: (found) => found === value || (isCompression && /^(?:producer|gzip)$/.test(found)),
      needed: value,
      ...(WHY[name] ?? { why: '', heals: true }),
      isGuarantee: true,
      isDefault: false,
    };
  });
  if (!topic.compacted) rules.push(retentionRule(topic.retentionMs), sizeRule());
  if (replicas !== null && replicas >= COPIES_OF_A_CLUSTER) rules.push(copiesRule());
  rules.push(electionRule());
  return rules;
}

function batchRule(value: string): TopicRule {
  return {
    name: 'max.message.bytes',
    value,
    holds: (found) => Number(found) >= MAX_BATCH_BYTES,
    needed: `${MAX_BATCH_BYTES} or more`,
    why: 'a record may have 8 MB, and a larger one than the topic takes would stop its lane',
    isGuarantee: true,
    heals: true,
    isDefault: false,
  };
}

function retentionRule(retentionMs: WantedTopic['retentionMs']): TopicRule {
  const isForever = retentionMs === 'forever';
  return {
    name: 'retention.ms',
    value: isForever ? `${UNLIMITED}` : `${Math.max(retentionMs, CLUSTER_DEFAULT_MS)}`,
    holds: (found) => Number(found) === UNLIMITED || (!isForever && Number(found) >= retentionMs),
    needed: isForever ? `${UNLIMITED}` : `${retentionMs} or more (2 × deadlines.lifetime + kafka.longest_outage)`,
    why: isForever ? 'its first records count as much as its last' : 'a restart reads from the oldest open unit',
    isGuarantee: true,
    heals: true,
    isDefault: false,
  };
}

function sizeRule(): TopicRule {
  return {
    name: 'retention.bytes',
    value: `${UNLIMITED}`,
    holds: (found) => Number(found) === UNLIMITED,
    needed: `${UNLIMITED}`,
    why: 'a limit by size deletes what is still open',
    isGuarantee: true,
    heals: true,
    isDefault: true,
  };
}

function copiesRule(): TopicRule {
  return {
    name: 'min.insync.replicas',
    value: '2',
    holds: (found) => Number(found) >= 2,
    needed: '2',
    why: 'a write that only one broker has is lost with it',
    isGuarantee: false,
    heals: true,
    isDefault: false,
  };
}

function electionRule(): TopicRule {
  return {
    name: 'unclean.leader.election.enable',
    value: 'false',
    holds: (found) => found !== 'true',
    needed: 'false',
    why: 'a leader that lags behind would forget acknowledged records',
    isGuarantee: true,
    heals: true,
    isDefault: true,
  };
}
