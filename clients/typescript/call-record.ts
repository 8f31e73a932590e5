import type { Recording } from './attempt-log.ts';
import { auxRefOf, failureOf, integerOrNull, samplingOf, textOrNull, toolCallOf, usageOf } from './event-json.ts';
import type { HeldTokens } from './held-tokens.ts';
import type { ModelCall, TokenIds, WeightSpan } from './recorded.ts';
import { arrayText, logprobsOf, tokenIdsOf, Unsound } from './token-values.ts';

/** A value that could not be recorded as what it claims to be: its field is null, and this says why. */
type Notes = Record<string, unknown>;

/** A model call as a record. `held` grows by its tokens. What is unsound is left out and noted; nothing is repaired. */
export function callRecord(call: ModelCall, number: number, held: HeldTokens): Recording {
  const notes: Notes = {};
  const tokens = tokensOf(call, held, notes);
  const body = JSON.stringify({
    call_id: call.callId ?? `call-${number}`,
    model: call.model ?? null,
    replica: call.replica ?? null,
    prompt_prefix_len: tokens?.prefix ?? 0,
    logprobs_mode: call.logprobsMode ?? 'unknown',
    weight_spans: spansOf(call.weightSpans ?? [], tokens?.completion?.length ?? 0, notes),
    raw_text: call.rawText ?? null,
    finish_reason: textOrNull(call.finishReason),
    sampling: samplingOf(call.sampling),
    usage: usageOf(call.usage),
    queue_us: integerOrNull(call.queueUs),
    prefill_us: integerOrNull(call.prefillUs),
    decode_us: integerOrNull(call.decodeUs),
    server_e2e_us: integerOrNull(call.serverE2eUs),
    tool_calls: (call.toolCalls ?? []).map(toolCallOf),
    aux_ref: auxRefOf(call.auxRef),
    error: failureOf(call.error),
  });
  const arrays = [
    tokens === null ? '' : `,"prompt_delta_ids":${arrayText(tokens.delta)}`,
    tokens === null || tokens.completion === null ? '' : `,"completion_ids":${arrayText(tokens.completion)}`,
    logprobsText(call, tokens?.completion?.length ?? 0, notes),
  ];
  return {
    body: `${body.slice(0, -1)}${arrays.join('')}}`,
    segmentId: call.segmentId,
    startedAtUs: integerOrNull(call.startedAtUs),
    durationUs: integerOrNull(call.durationUs),
    extra: Object.keys(notes).length === 0 ? call.extra : { ...call.extra, ...notes },
  };
}

interface CallTokens {
  readonly prefix: number;
  readonly delta: Uint32Array;
  readonly completion: Uint32Array | null;
}

/** null: the call has no token ids, or not those of both prompt and completion, without which they have no place. */
function tokensOf(call: ModelCall, held: HeldTokens, notes: Notes): CallTokens | null {
  try {
    const prompt = idsOrNull(call.promptIds, 'promptIds');
    const delta = idsOrNull(call.promptDeltaIds, 'promptDeltaIds');
    const completion = idsOrNull(call.completionIds, 'completionIds');
    const hasPrompt = prompt !== null || delta !== null;
    const isFailed = call.error !== null && call.error !== undefined;
    if (hasPrompt !== (completion !== null) && !(hasPrompt && isFailed)) {
      if (hasPrompt) notes.ids_without_completion = Array.from(prompt ?? delta ?? []);
      else notes.ids_without_prompt = Array.from(completion ?? []);
      return null;
    }
    if (!hasPrompt) return null;
    const prefix = prompt === null ? (call.promptPrefixLen ?? held.length) : held.commonPrefix(prompt);
    const added = delta ?? prompt?.subarray(prefix) ?? new Uint32Array(0);
    if (completion !== null) held.extend(prefix, added, completion);
    return { prefix, delta: added, completion };
  } catch (error) {
    note(notes, error);
    return null;
  }
}

function idsOrNull(values: TokenIds | null | undefined, field: string): Uint32Array | null {
  return values === null || values === undefined ? null : tokenIdsOf(values, field);
}

function logprobsText({ completionLogprobs }: ModelCall, tokens: number, notes: Notes): string {
  if (completionLogprobs === null || completionLogprobs === undefined) return '';
  try {
    const { values, missing, unsound } = logprobsOf(completionLogprobs, 'completionLogprobs');
    if (missing.length > 0) notes.missing_logprobs = missing;
    if (Object.keys(unsound).length > 0) notes.unsound_logprobs = unsound;
    if (values === null) return '';
    if (values.length !== tokens)
      throw new Unsound('completionLogprobs', `${tokens} values, one a token of completionIds`, `${values.length}`);
    return `,"completion_logprobs":${arrayText(values)}`;
  } catch (error) {
    note(notes, error);
    return '';
  }
}

/** Whole, or none: a span left out would hand its tokens to the version before. */
function spansOf(spans: readonly WeightSpan[], tokens: number, notes: Notes): readonly WeightSpan[] {
  const isSound = spans.every(
    ({ start }, i) =>
      Number.isInteger(start) && start >= 0 && start > (spans[i - 1]?.start ?? -1) && (start === 0 || start < tokens),
  );
  if (isSound) return spans.map(({ start, version }) => ({ start, version: String(version) }));
  notes.unsound_weight_spans = spans;
  return [];
}

function note(notes: Notes, error: unknown): void {
  if (!(error instanceof Unsound)) throw error;
  const { field, expected, got } = error;
  const before = Array.isArray(notes.not_recorded) ? notes.not_recorded : [];
  notes.not_recorded = [...before, { field, expected, got }];
}
