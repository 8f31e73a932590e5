import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';

/** The largest batch that is written; a group in `ready` is one batch where it fits. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** What a batch adds to its only record, far above the 61 bytes of its head and the lengths of key, value and headers. */
const BATCH_BYTES = 64 * 1024;
if (MOST_RECORD_BYTES + BATCH_BYTES > MAX_BATCH_BYTES) throw new Error('bug: the largest record fits no batch');

export interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Settings of a topic that the lanes rely on, whoever creates it. */
export function topicSettings(compacted: boolean): Setting[] {
  return [
    { name: 'cleanup.policy', value: compacted ? 'compact' : 'delete' },
    // One clock: deadlines and decided_at are times of the broker.
    { name: 'message.timestamp.type', value: 'LogAppendTime' },
    // Token ids and logprobs do not shrink, and only gzip can be read.
    { name: 'compression.type', value: 'uncompressed' },
    { name: 'max.message.bytes', value: `${MAX_BATCH_BYTES}` },
  ];
}
