import { partitionOf } from '../broker/partition-of.ts';
import type { Bounds, Commit, LogRecord, NewRecord, Position, TopicSpec, Transaction } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';

/** The log in memory: what a broker holds, each change at once and whole. Who may call when is the scheduler's business. */
export interface MemoryLog {
  partitionsOf(topic: string): number;
  bounds(topic: string, partition: number): Bounds;
  append(topic: string, records: readonly NewRecord[]): Position[];
  /** A record as it was appended to another log, at its time. */
  replay(record: LogRecord): void;
  read(topic: string, partition: number, offset: number, mostRecords: number): LogRecord[];
  /** As retention does: what is below `start` cannot be read any more. */
  forget(topic: string, partition: number, start: number): void;
  /** All that was ever appended and not replaced, whatever was forgotten since. */
  history(topic: string, partition: number): readonly LogRecord[];
  /** All of them, the first one first. */
  commits(group: string, topic: string, partition: number): readonly Commit[];
  /** Takes the id; whoever had it is fenced. */
  fence(id: string): number;
  run(id: string, token: number, transaction: Transaction): void;
}

export function createMemoryLog(specs: readonly TopicSpec[], now: () => number): MemoryLog {
  const topics = new Map(
    specs.map((spec) => [spec.name, { spec, partitions: Array.from({ length: spec.partitions }, () => emptyLog()) }]),
  );
  const commits = new Map<string, Commit[]>();
  const tokens = new Map<string, number>();
  const starts = new Map<LogRecord[], number>();
  const topicOf = (name: string) => {
    const topic = topics.get(name);
    if (topic === undefined) throw new RollstreamError('RS_UNKNOWN_TOPIC', `no topic ${name}`);
    return topic;
  };
  const logOf = (name: string, partition: number): LogRecord[] => {
    const log = topicOf(name).partitions[partition];
    if (log === undefined) throw new RollstreamError('RS_UNKNOWN_TOPIC', `no partition ${partition} of ${name}`);
    return log;
  };
  const endOf = (log: readonly LogRecord[]): number => (log.at(-1)?.offset ?? -1) + 1;

  const commitsOf = (group: string, topic: string, partition: number): Commit[] => {
    const id = `${group}/${topic}/${partition}`;
    const known = commits.get(id) ?? [];
    commits.set(id, known);
    return known;
  };

  const appendOne = (topic: string, { key, value, headers = {}, partition }: NewRecord): Position => {
    const { spec } = topicOf(topic);
    const chosen = partition ?? (key === null ? 0 : partitionOf(key, spec.partitions));
    const log = logOf(topic, chosen);
    const bytes = typeof key === 'string' ? Buffer.from(key) : key;
    const offset = endOf(log);
    const timestampMs = Math.max(now(), log.at(-1)?.timestampMs ?? 0);
    const same = bytes === null ? -1 : log.findIndex(({ key: other }) => other?.equals(bytes));
    if (spec.compacted && same >= 0) log.splice(same, 1);
    log.push({ topic, partition: chosen, offset, timestampMs, key: bytes, value, headers });
    return { partition: chosen, offset };
  };

  return {
    partitionsOf: (topic) => topicOf(topic).spec.partitions,
    bounds(topic, partition) {
      const log = logOf(topic, partition);
      return { start: starts.get(log) ?? 0, end: endOf(log) };
    },
    append: (topic, records) => records.map((record) => appendOne(topic, record)),
    replay(record) {
      logOf(record.topic, record.partition).push(record);
    },
    read(topic, partition, offset, mostRecords) {
      const log = logOf(topic, partition);
      if (offset > endOf(log) || offset < (starts.get(log) ?? 0))
        throw new RollstreamError('RS_OFFSET_OUT_OF_RANGE', `${topic}/${partition} has no offset ${offset}`);
      return log.filter((record) => record.offset >= offset).slice(0, mostRecords);
    },
    forget(topic, partition, start) {
      const log = logOf(topic, partition);
      starts.set(log, Math.max(start, starts.get(log) ?? 0));
    },
    history: logOf,
    commits: commitsOf,
    fence(id) {
      const token = (tokens.get(id) ?? 0) + 1;
      tokens.set(id, token);
      return token;
    },
    run(id, token, { records, commit }) {
      if (tokens.get(id) !== token) throw new RollstreamError('RS_FENCED', `another producer took ${id}`);
      if (commit !== undefined && Buffer.byteLength(commit.metadata) > 4096)
        throw new RollstreamError('RS_TOO_LARGE', 'the metadata of a commit is too large');
      for (const { topic, record } of records) appendOne(topic, record);
      if (commit !== undefined)
        commitsOf(commit.group, commit.topic, commit.partition).push({
          offset: commit.offset,
          metadata: commit.metadata,
        });
    },
  };
}

function emptyLog(): LogRecord[] {
  return [];
}
