import type { Attempt } from '../model/attempt.ts';
import type { Judgement } from '../model/judgement.ts';

export interface RecordSpace {
  /** Most bytes of key, value and headers of a record. */
  readonly bytes: number;
  /** Token data may go elsewhere, and does not count. */
  readonly takesTokens: boolean;
}

/** Whether what an attempt would train as has a place on the ready topic. */
export type Fits = (attempt: Attempt, judgement: Judgement) => boolean;

/** Numbers, hashes, policy ids, names of fields and headers, sums of the wall clock. */
const FIXED_BYTES = 16 * 1024;
/** Numbers of an element of a list, and the lengths of its texts. */
const ELEMENT_BYTES = 64;
/** Id, two masks, logprob. */
const TOKEN_BYTES = 10;

/**
 * From above: never less than the record has, so that what fits is never refused by the log.
 * 1 a rollout has 9 MB of task metadata; 2 its record is refused; 3 the lane cannot go on, whoever restarts it.
 */
export function createFits({ bytes, takesTokens }: RecordSpace): Fits {
  return function fits(attempt, judgement) {
    const tokens = takesTokens ? 0 : attempt.segments.reduce((sum, { length }) => sum + length * TOKEN_BYTES, 0);
    if (tokens > bytes) return false;
    const rest = (sizeOf: SizeOf): number => restOf(attempt, judgement, takesTokens, sizeOf);
    // Nearly all are so small that their characters need not be looked at.
    return tokens + rest(atMost) <= bytes || tokens + rest(inUtf8) <= bytes;
  };
}

function restOf(
  { identity, start, segments, turns, aux, verdicts }: Attempt,
  judgement: Judgement,
  takesTokens: boolean,
  sizeOf: SizeOf,
) {
  const size = (...texts: ReadonlyArray<string | null | undefined>): number => {
    let bytes = 0;
    for (const text of texts) if (text !== null && text !== undefined) bytes += sizeOf(text);
    return bytes;
  };
  const { run_id, env_name, task_id, group_id, rollout_id } = identity;
  // In the record, in its key with three bytes for each that is escaped, and in its headers.
  let sum = FIXED_BYTES + 5 * size(run_id, env_name, task_id, group_id, rollout_id);
  sum += size(start?.task_metadata_json, start?.tokenizer_sha256, start?.template_sha256);
  for (const { segmentId, callId, finishReason, logprobsMode } of turns)
    sum += ELEMENT_BYTES + size(segmentId, callId, finishReason, logprobsMode);
  for (const { name, uri, sha256, shape, dtype } of aux)
    sum += ELEMENT_BYTES + 5 * shape.length + size(name, uri, sha256, dtype);
  for (const { scorer, scorerVersion, rewards } of verdicts) {
    sum += ELEMENT_BYTES + size(scorer, scorerVersion);
    // Again in reward_components, behind the scorer's name.
    for (const name of Object.keys(rewards)) sum += ELEMENT_BYTES + 2 * size(name) + size(scorer);
  }
  for (const { code, category, raw, system, detail } of judgement.reasons)
    sum += ELEMENT_BYTES + size(code, category, raw, system, detail);
  sum += size(...judgement.why, judgement.finishReason);
  let longest = 0;
  for (const { id, parentId, chunks } of segments) {
    sum += ELEMENT_BYTES;
    if (!takesTokens) sum += size(id, parentId);
    for (const { spans } of chunks)
      for (const { version } of spans) {
        const bytes = size(version);
        longest = Math.max(longest, bytes);
        if (!takesTokens) sum += ELEMENT_BYTES + bytes;
      }
  }
  // Oldest and newest, and the header.
  return sum + 3 * longest;
}

/** Bytes of UTF-8 that a text has, or no fewer. */
type SizeOf = (text: string) => number;

const inUtf8: SizeOf = (text) => Buffer.byteLength(text);
/** A unit of UTF-16 is three bytes at most. */
const atMost: SizeOf = ({ length }) => 3 * length;

/** Kept for people and SQL, since a trainer could not be given it. */
export function withoutSpace(judgement: Judgement): Judgement {
  return {
    ...judgement,
    ruling: 'quarantine',
    why: ['record_too_large', ...judgement.why],
    rule: '',
    inLoss: false,
    inBaseline: false,
    countsForSize: false,
  };
}
