/** The largest batch that is written; a group in `ready` is one batch where it fits. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

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
