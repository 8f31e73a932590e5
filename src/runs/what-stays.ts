import type { TopicNames } from '../config/topics.ts';

/** What a deletion leaves of a run, in sentences: the log is not ours to rewrite. */
export function whatStays(topics: TopicNames): string[] {
  const { steps, ready, rejected, retries, deadLetter, held, policyVersions } = topics;
  return [
    `its records on ${[steps, ready, rejected, retries, deadLetter].join(', ')}, until the retention of those topics`,
    `what its gate held on ${held}, and the names of its weights on ${policyVersions}: these topics are kept for ever`,
    'bytes that its producers put themselves (aux_ref), until blobs.retention',
    'refused records in dead_letters, which are kept as bytes and name no run',
  ];
}
