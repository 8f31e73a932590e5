import { decodeProgress, encodeProgress, type Progress } from '../../processors/cut/progress.ts';
import type { Broker, Commit, Transaction } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';
import { type CommitName, commitSaying, textOfCommit } from './commit-text.ts';

export type LaneName = CommitName;

/** The commit of a cut; a long one with the record it points to, for the same transaction. */
export function commitOf(
  name: LaneName,
  progress: Progress,
): Pick<Transaction, 'records'> & Required<Pick<Transaction, 'commit'>> {
  return commitSaying(name, progress.frontier, encodeProgress(progress));
}

/** What a commit says, from its metadata or from the record it points to. */
export async function progressOf(broker: Broker, name: LaneName, commit: Commit): Promise<Progress> {
  const progress = decodeProgress(await textOfCommit(broker, name, commit));
  if (progress !== null && progress.frontier === commit.offset) return progress;
  const facts = { topic: name.topic, partition: name.partition, offset: commit.offset };
  throw new RollstreamError(
    'RS_DATA_VERSION',
    `the commit of ${name.topic}/${name.partition} was not written by this version`,
    { facts },
  );
}
