import type { AttemptState, SegmentState } from '../attempts/attempt-state.ts';
import type { Conversation } from '../call/conversation.ts';

export interface ChosenSegment {
  readonly id: string;
  /** null: it begins with this call. */
  readonly known: SegmentState | null;
  /** Messages of the request that it begins with, all known. */
  readonly commonMessages: number;
}

/**
 * The conversation that a request goes on with. By ids: the one whose ids are all a prefix of the prompt, the longest; else one whose
 * whole first prompt is (its history was rewritten); else a new one. Without ids by messages, in the same way.
 */
export function chooseSegment(
  state: AttemptState,
  conversation: Conversation,
  prompt: Uint32Array | null,
): ChosenSegment {
  const { segments } = state;
  const hashes = conversation.kind === 'messages' ? conversation.hashes : [];
  const byIds = prompt === null ? null : longest(segments, (one) => idsScore(one, prompt));
  // Calls that failed, or whose engine tells no ids, leave a conversation without any.
  const others = prompt === null ? segments : segments.filter(({ held }) => held.length === 0);
  const known = byIds ?? longest(others, (one) => messagesScore(one, hashes)) ?? onlyOne(others, conversation, prompt);
  const id = known?.id ?? (segments.length === 0 ? 'main' : `conversation-${segments.length + 1}`);
  return { id, known, commonMessages: known === null ? 0 : commonStart(known.messages, hashes) };
}

/** A score above all others where everything held is there; null: it is another conversation. */
type Score = { readonly isWhole: boolean; readonly length: number } | null;

function idsScore({ held, firstPrompt }: SegmentState, prompt: Uint32Array): Score {
  const length = held.commonPrefix(prompt);
  if (held.length > 0 && length === held.length) return { isWhole: true, length };
  return firstPrompt > 0 && length >= firstPrompt ? { isWhole: false, length } : null;
}

function messagesScore({ messages, firstMessages }: SegmentState, hashes: readonly string[]): Score {
  const length = commonStart(messages, hashes);
  if (messages.length > 0 && length === messages.length) return { isWhole: true, length };
  return firstMessages > 0 && length >= firstMessages ? { isWhole: false, length } : null;
}

/** Text without ids tells nothing of where it belongs. */
function onlyOne(
  segments: readonly SegmentState[],
  { kind }: Conversation,
  prompt: Uint32Array | null,
): SegmentState | null {
  return prompt === null && kind !== 'messages' ? (segments[0] ?? null) : null;
}

function longest(segments: readonly SegmentState[], score: (segment: SegmentState) => Score): SegmentState | null {
  let best: { readonly segment: SegmentState; readonly score: NonNullable<Score> } | null = null;
  for (const segment of segments) {
    const found = score(segment);
    if (found === null) continue;
    const isBetter =
      best === null || (found.isWhole !== best.score.isWhole ? found.isWhole : found.length > best.score.length);
    if (isBetter) best = { segment, score: found };
  }
  return best?.segment ?? null;
}

export function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
