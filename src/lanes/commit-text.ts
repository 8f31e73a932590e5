import type { Broker, Commit, Transaction } from '../broker/port.ts';

/** Kafka refuses metadata above 4,096 bytes (offset.metadata.max.bytes); what is longer goes to the state topic. */
const MOST_BYTES_INLINE = 3500;
const POINTER = 'p1';

/** Whose commit, and the topic that takes what does not fit in. */
export interface CommitName {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly stateTopic: string;
}

/** A commit that says `text`; a long one with the record it points to, for the same transaction. */
export function commitSaying(
  name: CommitName,
  offset: number,
  text: string,
): Pick<Transaction, 'records'> & Required<Pick<Transaction, 'commit'>> {
  const { group, topic, partition } = name;
  const at = { group, topic, partition, offset };
  if (text.length <= MOST_BYTES_INLINE) return { records: [], commit: { ...at, metadata: text } };
  const record = { key: keyOf(name), value: Buffer.from(text), partition: 0 };
  return { records: [{ topic: name.stateTopic, record }], commit: { ...at, metadata: POINTER } };
}

/** What a commit says, from its metadata or from the record it points to. */
export async function textOfCommit(
  broker: Pick<Broker, 'bounds' | 'read'>,
  name: CommitName,
  { metadata }: Commit,
): Promise<string> {
  if (metadata !== POINTER) return metadata;
  const { start, end } = await broker.bounds(name.stateTopic, 0);
  let found = '';
  for (let offset = start; offset < end; ) {
    const records = await broker.read(name.stateTopic, 0, offset, { maxBytes: 1 << 20, maxWaitMs: 0 });
    const last = records.at(-1);
    if (last === undefined) break;
    for (const { key, value } of records) if (key?.toString() === keyOf(name)) found = value?.toString() ?? '';
    offset = last.offset + 1;
  }
  return found;
}

function keyOf({ group, topic, partition }: CommitName): string {
  return `${group}/${topic}/${partition}`;
}
