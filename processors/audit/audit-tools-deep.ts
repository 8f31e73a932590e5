import { type AuditAnswer, notAuditable } from '../model/audit-summary.ts';
import type { DeepInput, DeepRange, DeepSegment } from '../model/deep-input.ts';
import { addFinding, answerOfList, createFindingList } from '../model/finding-list.ts';
import type { Tokenizer } from '../model/tokenizer.ts';
import { auditDecodedCalls } from './tools/audit-decoded-calls.ts';
import { isCut } from './tools/is-cut.ts';

/** A prefilled think block is that long at most. */
const PREFILL_TOKENS = 8;

/**
 * Tool calls of turns without raw text, read from their tokens. undefined: there are none, or the tokenizer is another one. pass
 * only where every model call could be read so: of the others the lane has spoken.
 */
export function auditToolsDeep(input: DeepInput, tokenizer: Tokenizer): AuditAnswer | undefined {
  const { executed, turns, segments, tokenizerSha256 } = input;
  if (executed.length === 0 || (tokenizerSha256 !== null && tokenizerSha256 !== tokenizer.sha256)) return undefined;
  const list = createFindingList();
  let proved = 0;
  for (const turn of executed) {
    const place = placeOf(segments, turn.turn);
    const text = place === null ? null : textOf(place, tokenizer);
    if (place === null || text === null) continue;
    const finishReason = turns.find((one) => one.turn === turn.turn)?.finishReason ?? null;
    const context = { isCut: isCut(finishReason), opensInThought: opensInThought(place, tokenizer) };
    const found = auditDecodedCalls(text, turn, context);
    if (found === null) continue;
    proved += 1;
    for (const one of found) addFinding(list, one);
  }
  const missing = proved === turns.length ? null : 'a dialect of tool calls that is known';
  return list.kept.length === 0 && missing !== null ? notAuditable(missing) : answerOfList(list, missing);
}

interface Place {
  readonly segment: DeepSegment;
  readonly range: DeepRange;
}

function placeOf(segments: readonly DeepSegment[], turn: number): Place | null {
  for (const segment of segments) {
    const range = segment.ranges.find((one) => one.turn === turn && !one.copied);
    if (range !== undefined) return { segment, range };
  }
  return null;
}

/** null: an id has no token, or the bytes are no text. */
function textOf({ segment, range }: Place, tokenizer: Tokenizer): string | null {
  for (let i = range.sampledStart; i < range.end; i++) if (!tokenizer.has(segment.tokenIds[i] ?? -1)) return null;
  const bytes = tokenizer.decode(segment.tokenIds, range.sampledStart, range.end);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The prompt ends within a thought that the template opened; null: nobody can say. */
function opensInThought({ segment, range }: Place, tokenizer: Tokenizer): boolean | null {
  const [open, close] = [tokenizer.addedId('<think>'), tokenizer.addedId('</think>')];
  if (open === null || close === null) return null;
  const from = Math.max(0, range.sampledStart - PREFILL_TOKENS);
  for (let i = range.sampledStart - 1; i >= from; i--) {
    if (segment.tokenIds[i] === close) return false;
    if (segment.tokenIds[i] === open) return true;
  }
  return false;
}
