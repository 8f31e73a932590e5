import type { ModelCall, StepEvent } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Chunk, Segment } from '../model/segment.ts';

const BYTES_A_TOKEN = 4;

/**
 * Appends a model call: new tokens to its segment, a turn as a range. A prompt that does not extend what is held starts a segment.
 * `countsTokens`: see AssembleRules.
 */
export function foldModelCall(attempt: Attempt, event: StepEvent, call: ModelCall, countsTokens: boolean): void {
  const number = attempt.calls;
  attempt.calls += 1;
  if (call.prompt_delta_ids === null || call.completion_ids === null) {
    if (call.error === null) attempt.missingTokens = true;
    pushTurn(attempt, call, number, event.segment_id, 0, 0);
    return;
  }
  const held = attempt.segments.findLast((segment) => segment.sourceId === event.segment_id);
  const heldLength = held?.length ?? 0;
  if (call.prompt_prefix_len > heldLength) {
    // The producer says that it reused tokens nobody has seen: whatever followed would be a guess.
    attempt.corrupt ??= 'prefix_beyond_held';
    return;
  }
  let segment = held ?? openSegment(attempt, event.segment_id);
  if (call.prompt_prefix_len < heldLength) segment = forkSegment(attempt, segment, call.prompt_prefix_len);
  if (!countsTokens && hasUnsoundLogprob(call.completion_logprobs)) attempt.corrupt ??= 'logprob_invalid';
  const chunk = chunkOf(
    number,
    call.prompt_delta_ids,
    call.completion_ids,
    call.completion_logprobs,
    heldSpans(segment, call.weight_spans),
    countsTokens,
  );
  const start = segment.length + chunk.promptTokens;
  if (chunk.tokens > 0) pushChunk(segment, chunk);
  pushTurn(attempt, call, number, segment.id, start, segment.length);
}

/** A version seldom changes from call to call, and one array for all costs a hundred bytes a call less. */
function heldSpans({ chunks }: Segment, spans: Chunk['spans']): Chunk['spans'] {
  const before = chunks.at(-1)?.spans;
  if (before === undefined || before.length !== spans.length) return spans;
  for (let i = 0; i < spans.length; i++)
    if (before[i]?.start !== spans[i]?.start || before[i]?.version !== spans[i]?.version) return spans;
  return before;
}

const NO_BYTES = Buffer.alloc(0);

/** Copied: what a decoder hands out may be a view of a larger block, which one open attempt would keep whole. */
function joined(prompt: Buffer, completion: Buffer, logprobs: Buffer | null): Buffer {
  const idsEnd = prompt.length + completion.length;
  const bytes = Buffer.allocUnsafeSlow(idsEnd + (logprobs?.length ?? 0));
  bytes.set(prompt, 0);
  bytes.set(completion, prompt.length);
  if (logprobs !== null) bytes.set(logprobs, idsEnd);
  return bytes;
}

function chunkOf(
  turn: number,
  prompt: Buffer,
  completion: Buffer,
  logprobs: Buffer | null,
  spans: Chunk['spans'],
  countsTokens: boolean,
): Chunk {
  const idsEnd = prompt.length + completion.length;
  return {
    turn,
    bytes: countsTokens ? NO_BYTES : joined(prompt, completion, logprobs),
    promptTokens: prompt.length / BYTES_A_TOKEN,
    sampledTokens: completion.length / BYTES_A_TOKEN,
    tokens: idsEnd / BYTES_A_TOKEN,
    hasLogprobs: logprobs !== null,
    copied: false,
    spans,
  };
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
  const before = attempt.turns.at(-1);
  attempt.turns.push({
    turn,
    segmentId,
    start,
    end,
    callId: call.call_id,
    finishReason: before?.finishReason === call.finish_reason ? before.finishReason : call.finish_reason,
    temperature: finiteOrNull(sampling?.temperature),
    topP: finiteOrNull(sampling?.top_p),
    logprobsMode: call.logprobs_mode,
  });
  const aux = call.aux_ref;
  if (aux !== null) attempt.aux.push({ turn, ...aux });
}

function openSegment(attempt: Attempt, sourceId: string): Segment {
  const id = freeId(attempt, sourceId, 0);
  const segment: Segment = { id, sourceId, parentId: null, forkAt: null, chunks: [], length: 0 };
  attempt.segments.push(segment);
  return segment;
}

/** The history was rewritten at `at`: the shared prefix is copied with mask and logprobs, without the loss. */
function forkSegment(attempt: Attempt, parent: Segment, at: number): Segment {
  const { sourceId } = parent;
  const forks = attempt.segments.filter((segment) => segment.sourceId === sourceId).length;
  const id = freeId(attempt, sourceId, forks);
  const segment: Segment = { id, sourceId, parentId: parent.id, forkAt: at, chunks: [], length: 0 };
  for (const chunk of parent.chunks) {
    if (segment.length >= at) break;
    pushChunk(segment, copiedPrefix(chunk, at - segment.length));
  }
  attempt.segments.push(segment);
  return segment;
}

/** `ID`, then `ID~1`, `ID~2` …; a producer's own segment may be called so: the first that is free. */
function freeId(attempt: Attempt, sourceId: string, from: number): string {
  for (let n = from; ; n++) {
    const id = n === 0 ? sourceId : `${sourceId}~${n}`;
    if (!attempt.segments.some((segment) => segment.id === id)) return id;
  }
}

/** Shares the parent's bytes: a fork costs one chunk a call, not its tokens. */
function copiedPrefix(chunk: Chunk, tokens: number): Chunk {
  if (chunk.tokens <= tokens) return { ...chunk, copied: true };
  const spans = chunk.spans.filter((span) => span.start < tokens - chunk.promptTokens);
  return { ...chunk, tokens, copied: true, spans };
}

function pushChunk(segment: Segment, chunk: Chunk): void {
  segment.chunks.push(chunk);
  segment.length += chunk.tokens;
}

/** NaN or infinite: all exponent bits of a little-endian float32 are set. A loop over two bytes a token: no copy, no alignment. */
export function hasUnsoundLogprob(logprobs: Buffer | null): boolean {
  if (logprobs === null) return false;
  for (let i = 3; i < logprobs.length; i += BYTES_A_TOKEN) {
    if (((logprobs[i] ?? 0) & 0x7f) === 0x7f && ((logprobs[i - 1] ?? 0) & 0x80) !== 0) return true;
  }
  return false;
}

/** NaN never leaves. */
function finiteOrNull(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && Number.isFinite(value) ? value : null;
}
