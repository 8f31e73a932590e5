import type { ModelCall, StepEvent } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Chunk, Segment } from '../model/segment.ts';

const BYTES_A_TOKEN = 4;
const NO_IDS = Buffer.alloc(0);

/** Appends a model call: new tokens to its segment, a turn as a range. A prompt that does not extend what is held starts a segment. */
export function foldModelCall(attempt: Attempt, event: StepEvent, call: ModelCall): void {
  const number = attempt.calls;
  attempt.calls += 1;
  const prompt = call.prompt_delta_ids;
  const completion = call.completion_ids;
  if (prompt === null || completion === null) {
    if (call.error === null) attempt.missingTokens = true;
    pushTurn(attempt, call, number, event.segment_id, 0, 0);
    return;
  }
  const held = attempt.current.get(event.segment_id) ?? openSegment(attempt, event.segment_id);
  if (call.prompt_prefix_len > held.length) {
    // The producer says that it reused tokens nobody has seen: whatever followed would be a guess.
    attempt.corrupt ??= 'prefix_beyond_held';
    return;
  }
  const segment =
    call.prompt_prefix_len < held.length ? forkSegment(attempt, event.segment_id, held, call.prompt_prefix_len) : held;
  if (prompt.length > 0) pushChunk(segment, { ids: prompt, sampled: false, copied: false, logprobs: null, spans: [] });
  const start = segment.length;
  if (completion.length > 0) {
    if (hasUnsoundLogprob(call.completion_logprobs)) attempt.corrupt ??= 'logprob_invalid';
    pushChunk(segment, {
      ids: completion,
      sampled: true,
      copied: false,
      logprobs: call.completion_logprobs,
      spans: call.weight_spans,
    });
  }
  pushTurn(attempt, call, number, segment.id, start, segment.length);
}

function pushTurn(
  attempt: Attempt,
  call: ModelCall,
  turn: number,
  segmentId: string,
  start: number,
  end: number,
): void {
  const sampling = call.sampling ?? attempt.start?.sampling ?? null;
  attempt.turns.push({
    turn,
    segmentId,
    start,
    end,
    callId: call.call_id,
    finishReason: call.finish_reason,
    temperature: sampling?.temperature ?? null,
    topP: sampling?.top_p ?? null,
    logprobsMode: call.logprobs_mode,
  });
  const aux = call.aux_ref;
  if (aux !== null) attempt.aux.push({ turn, ...aux });
}

function openSegment(attempt: Attempt, id: string): Segment {
  const segment: Segment = { id, parentId: null, forkAt: null, chunks: [], length: 0 };
  attempt.segments.push(segment);
  attempt.current.set(id, segment);
  return segment;
}

/** The history was rewritten at `at`: the shared prefix is copied with mask and logprobs, without the loss. */
function forkSegment(attempt: Attempt, id: string, parent: Segment, at: number): Segment {
  const n = attempt.segments.filter((segment) => segment.id.startsWith(`${id}~`)).length + 1;
  const segment: Segment = { id: `${id}~${n}`, parentId: parent.id, forkAt: at, chunks: [], length: 0 };
  for (const chunk of parent.chunks) {
    if (segment.length >= at) break;
    pushChunk(segment, copiedPrefix(chunk, at - segment.length));
  }
  attempt.segments.push(segment);
  attempt.current.set(id, segment);
  return segment;
}

/** Shares the parent's bytes: a fork costs one chunk a call, not its tokens. */
function copiedPrefix(chunk: Chunk, tokens: number): Chunk {
  const bytes = tokens * BYTES_A_TOKEN;
  if (chunk.ids.length <= bytes) return { ...chunk, copied: true };
  return {
    ids: chunk.ids.subarray(0, bytes),
    sampled: chunk.sampled,
    copied: true,
    logprobs: chunk.logprobs?.subarray(0, bytes) ?? null,
    spans: chunk.spans.filter((span) => span.start < tokens),
  };
}

function pushChunk(segment: Segment, chunk: Chunk): void {
  segment.chunks.push(chunk);
  segment.length += chunk.ids.length / BYTES_A_TOKEN;
}

/** NaN or infinite: all exponent bits of a little-endian float32 are set. A loop over two bytes a token: no copy, no alignment. */
export function hasUnsoundLogprob(logprobs: Buffer | null): boolean {
  const bytes = logprobs ?? NO_IDS;
  for (let i = 3; i < bytes.length; i += BYTES_A_TOKEN) {
    if (((bytes[i] ?? 0) & 0x7f) === 0x7f && ((bytes[i - 1] ?? 0) & 0x80) !== 0) return true;
  }
  return false;
}
