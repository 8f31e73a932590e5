import { decodeProgress, encodeProgress, type Progress } from '../../processors/cut/progress.ts';
import type { Broker, Commit, Transaction } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';

/** Kafka refuses metadata above 4,096 bytes (offset.metadata.max.bytes); what is longer goes to the state topic. */
const MOST_BYTES_INLINE = 3500;
const POINTER = 'p1';

export interface LaneName {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly stateTopic: string;
}

/** The commit of a cut; a long one with the record it points to, for the same transaction. */
export function commitOf(
  name: LaneName,
  progress: Progress,
): Pick<Transaction, 'records'> & Required<Pick<Transaction, 'commit'>> {
  const { group, topic, partition } = name;
  const text = encodeProgress(progress);
  const at = { group, topic, partition, offset: progress.frontier };
  if (text.length <= MOST_BYTES_INLINE) return { records: [], commit: { ...at, metadata: text } };
  const record = { key: keyOf(name), value: Buffer.from(text), partition: 0 };
  return { records: [{ topic: name.stateTopic, record }], commit: { ...at, metadata: POINTER } };
}

/** What a commit says, from its metadata or from the record it points to. */
export async function progressOf(broker: Broker, name: LaneName, commit: Commit): Promise<Progress> {
  const text = commit.metadata === POINTER ? await readState(broker, name) : commit.metadata;
  const progress = decodeProgress(text);
  if (progress !== null && progress.frontier === commit.offset) return progress;
  const facts = { topic: name.topic, partition: name.partition, offset: commit.offset };
  throw new RollstreamError(
    'RS_DATA_VERSION',
    `the commit of ${name.topic}/${name.partition} was not written by this version`,
    { facts },
  );
}

async function readState(broker: Broker, name: LaneName): Promise<string> {
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

function keyOf({ group, topic, partition }: LaneName): string {
  return `${group}/${topic}/${partition}`;
}
