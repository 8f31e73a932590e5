import { RollstreamError } from '../../errors.ts';
import type { Transaction } from '../port.ts';
import type { Partitions, Topic } from './partitions.ts';

/** Kafka's default of offset.metadata.max.bytes, held here too, so that a lane behaves alike on both. */
const MAX_METADATA_BYTES = 4096;
/** Kafka's for topics; LMDB keys hold two such names with room to spare. */
const MAX_NAME_BYTES = 249;

/** Refuses names that LMDB cannot key by, or that nobody could have meant. */
export function checkName(what: string, name: string): void {
  if (name.length === 0 || Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new RollstreamError('RS_CONFIG', `a ${what} has 1 to ${MAX_NAME_BYTES} bytes: '${name.slice(0, 60)}'`);
  }
}

/** The topic that a commit is about. */
export function checkCommit(commit: NonNullable<Transaction['commit']>, partitions: Partitions): Topic {
  checkName('group', commit.group);
  const topic = partitions.topic(commit.topic);
  partitions.partition(topic, commit.partition);
  const bytes = Buffer.byteLength(commit.metadata);
  if (bytes > MAX_METADATA_BYTES) {
    throw new RollstreamError(
      'RS_TOO_LARGE',
      `the metadata of a commit has ${bytes} bytes; the limit is ${MAX_METADATA_BYTES}`,
      { facts: { group: commit.group, topic: commit.topic, partition: commit.partition, bytes } },
    );
  }
  if (!Number.isSafeInteger(commit.offset) || commit.offset < 0) {
    throw new RollstreamError('RS_OFFSET_OUT_OF_RANGE', `${commit.offset} cannot be committed: it is no offset`);
  }
  return topic;
}
