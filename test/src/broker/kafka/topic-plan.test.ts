import { describe, expect, it } from 'vitest';
import { type FoundTopic, planTopic, type WantedTopic } from '../../../../src/broker/kafka/topic-plan.ts';

const STEPS: WantedTopic = {
  name: 'rollout.steps',
  partitions: 4,
  compacted: false,
  retentionMs: 345_600_000, // 4 days
  takesAnyCount: false,
  replicationFactor: null,
};

/** As Kafka reports a topic that was created by the plan, on a cluster with the defaults of Kafka 4.3. */
const GOOD = new Map([
  ['cleanup.policy', 'delete'],
  ['message.timestamp.type', 'LogAppendTime'],
  ['compression.type', 'uncompressed'],
  ['max.message.bytes', '8388608'],
  ['retention.ms', '604800000'],
  ['retention.bytes', '-1'],
  ['min.insync.replicas', '1'],
  ['unclean.leader.election.enable', 'false'],
]);

function found(changes: Partial<Omit<FoundTopic, 'settings'>>, settings: Record<string, string> = {}): FoundTopic {
  const all = new Map([...GOOD, ...Object.entries(settings)]);
  return { name: STEPS.name, partitions: 4, replicas: 1, isEmpty: false, ...changes, settings: all };
}

describe('a topic that is missing', () => {
  it('is created with what the lanes rely on, and kept a week at least', () => {
    const { action, partitions, settings } = planTopic(STEPS, null);
    expect({ action, partitions }).toEqual({ action: 'create', partitions: 4 });
    expect(settings).toEqual([
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'message.timestamp.type', value: 'LogAppendTime' },
      { name: 'compression.type', value: 'uncompressed' },
      { name: 'max.message.bytes', value: '8388608' },
      { name: 'retention.ms', value: '604800000' },
    ]);
  });

  it('is kept longer than a week where units may stay open longer', () => {
    const { settings } = planTopic({ ...STEPS, retentionMs: 1_000_000_000 }, null);
    expect(settings).toContainEqual({ name: 'retention.ms', value: '1000000000' });
  });

  it('is kept for ever where its first records count', () => {
    const { settings } = planTopic({ ...STEPS, retentionMs: 'forever' }, null);
    expect(settings).toContainEqual({ name: 'retention.ms', value: '-1' });
  });

  it('is compacted where only the last record of a key counts, and then has no retention', () => {
    const { settings } = planTopic({ ...STEPS, compacted: true }, null);
    expect(settings).toContainEqual({ name: 'cleanup.policy', value: 'compact' });
    expect(settings.map(({ name }) => name)).not.toContain('retention.ms');
  });

  it('with three copies waits for two of them', () => {
    const { replicationFactor, settings } = planTopic({ ...STEPS, replicationFactor: 3 }, null);
    expect(replicationFactor).toBe(3);
    expect(settings).toContainEqual({ name: 'min.insync.replicas', value: '2' });
  });
});

describe('a topic that is there', () => {
  it('as the plan made it, is kept: planning again changes nothing', () => {
    expect(planTopic(STEPS, found({}))).toMatchObject({ action: 'keep', settings: [], findings: [] });
  });

  it('with another number of partitions is refused, with what to do', () => {
    const { action, settings, findings } = planTopic(STEPS, found({ partitions: 6 }));
    expect({ action, settings }).toEqual({ action: 'refuse', settings: [] });
    expect(findings[0]?.text).toMatch(/has 6 partitions, which cannot become 4: .* set partitions to 6/);
  });

  it('is taken with any number where nobody chose one', () => {
    expect(planTopic({ ...STEPS, takesAnyCount: true }, found({ partitions: 6 }))).toMatchObject({
      action: 'keep',
      partitions: 6,
    });
  });

  it.each([
    ['retention below what a restart may need', { 'retention.ms': '86400000' }, 'retention.ms', '604800000'],
    ['a limit by size', { 'retention.bytes': '1073741824' }, 'retention.bytes', '-1'],
    ['batches smaller than a record', { 'max.message.bytes': '1048588' }, 'max.message.bytes', '8388608'],
    ['a codec that cannot be read', { 'compression.type': 'zstd' }, 'compression.type', 'uncompressed'],
    ['leaders that lag', { 'unclean.leader.election.enable': 'true' }, 'unclean.leader.election.enable', 'false'],
  ])('with %s is changed', (_, settings, name, value) => {
    const plan = planTopic(STEPS, found({}, settings));
    expect(plan).toMatchObject({ action: 'change', settings: [{ name, value }], findings: [{ kind: 'change' }] });
  });

  it.each([
    ['was compacted', { 'cleanup.policy': 'compact' }],
    ['was compacted and deleted', { 'cleanup.policy': 'compact,delete' }],
    ['carries the times of its producers', { 'message.timestamp.type': 'CreateTime' }],
  ])('and holds records is refused when it %s, and changed while it is empty', (_, settings) => {
    expect(planTopic(STEPS, found({}, settings)).action).toBe('refuse');
    expect(planTopic(STEPS, found({ isEmpty: true }, settings)).action).toBe('change');
  });

  it.each([
    ['unlimited retention', { 'retention.ms': '-1' }],
    ['larger batches', { 'max.message.bytes': '16777216' }],
    ['the codec of its producers', { 'compression.type': 'producer' }],
    ['gzip', { 'compression.type': 'gzip' }],
  ])('with %s is kept', (_, settings) => {
    expect(planTopic(STEPS, found({}, settings)).action).toBe('keep');
  });

  it('with three copies, of which one is enough to answer, is only advised; applying sets it', () => {
    expect(planTopic(STEPS, found({ replicas: 3 }))).toMatchObject({
      action: 'change',
      settings: [{ name: 'min.insync.replicas', value: '2' }],
      findings: [{ kind: 'advice' }],
    });
  });

  it('with fewer copies than asked for is advised: no setting makes more', () => {
    const { action, findings } = planTopic({ ...STEPS, replicationFactor: 3 }, found({}));
    expect({ action, kinds: findings.map(({ kind }) => kind) }).toEqual({ action: 'keep', kinds: ['advice'] });
  });

  it('whose setting the broker does not tell is not judged by it', () => {
    const { settings, ...rest } = found({});
    const fewer = new Map([...settings].filter(([name]) => name !== 'cleanup.policy'));
    expect(planTopic(STEPS, { ...rest, settings: fewer }).action).toBe('keep');
  });
});
