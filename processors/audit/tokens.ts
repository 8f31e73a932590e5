import type { ModelCall } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { watchOf } from '../model/attempt-watch.ts';
import type { Audit, Found } from '../model/audit-summary.ts';
import { isIntegerType } from '../model/aux-data.ts';
import { addFinding, addFindings, answerOfList, createFindingList, type FindingList } from '../model/finding-list.ts';
import { sampledIn } from '../model/segment.ts';
import type { TokensWatch } from '../model/tokens-watch.ts';
import { rewrittenIn } from './rewritten-histories.ts';

const BYTES_A_TOKEN = 4;

/** Engine ids = recorded ids, as far as counts tell: the event with them does not stay. */
export function watchTokens(attempt: Attempt, call: ModelCall): void {
  const { completion_ids, prompt_delta_ids, prompt_prefix_len, usage, error } = call;
  if (completion_ids === null || prompt_delta_ids === null) {
    if (error === null) noteOf(attempt).withoutIds += 1;
    return;
  }
  if (usage === null) return;
  const sampled = completion_ids.length / BYTES_A_TOKEN;
  const prompt = prompt_prefix_len + prompt_delta_ids.length / BYTES_A_TOKEN;
  const isSampledOff = usage.completion_tokens !== null && usage.completion_tokens !== sampled;
  const isPromptOff = usage.prompt_tokens !== null && usage.prompt_tokens !== prompt;
  if (!isSampledOff && !isPromptOff) return;
  // Some engines leave the stop token out of their count.
  const fails = isSampledOff && Math.abs((usage.completion_tokens ?? 0) - sampled) > 1;
  const said = [
    ...(isSampledOff ? [`${usage.completion_tokens} sampled tokens, ${sampled} are recorded`] : []),
    ...(isPromptOff ? [`${usage.prompt_tokens} prompt tokens, ${prompt} are recorded`] : []),
  ];
  const turn = attempt.calls - 1;
  addFinding(noteOf(attempt).findings, {
    ...{ class: 'usage_mismatch', severity: fails ? 'fail' : 'warn', turn, index: null },
    detail: `the engine says that call ${turn} has ${said.join('; ')}`,
  });
}

function noteOf(attempt: Attempt): TokensWatch {
  const watch = watchOf(attempt);
  watch.tokens ??= { findings: createFindingList(), withoutIds: 0, rewritten: null };
  return watch.tokens;
}

/** Pipeline drift: whether what the policy sampled is what the next prompt held, and what the record has of it. No tokenizer. */
export const auditTokens: Audit = (attempt) => {
  const noted = attempt.watch?.tokens ?? null;
  const findings = createFindingList();
  if (attempt.corrupt === 'prefix_beyond_held') addFinding(findings, BEYOND_HELD);
  if (attempt.segments.some(({ parentId }) => parentId !== null)) addFindings(findings, rewrittenOnce(attempt));
  if (noted !== null) addFindings(findings, noted.findings);
  if (attempt.aux.length > 0) addRouting(findings, attempt);
  if (isPadRow(attempt)) addFinding(findings, PAD_ROW);
  return answerOfList(findings, missingOf(attempt, noted?.withoutIds ?? 0));
};

/** A verdict that came makes an attempt be audited again: its tokens are the same. */
function rewrittenOnce(attempt: Attempt): FindingList {
  const note = noteOf(attempt);
  if (note.rewritten?.calls !== attempt.calls)
    note.rewritten = { calls: attempt.calls, findings: rewrittenIn(attempt.segments) };
  return note.rewritten.findings;
}

function missingOf({ calls, segments }: Attempt, withoutIds: number): string | null {
  if (calls === 0) return 'no model call';
  if (withoutIds === calls) return 'no token ids';
  if (withoutIds > 0) return `${withoutIds} of ${calls} calls have no token ids`;
  return segments.some(({ length }) => length > 0) ? null : 'no call that was answered';
}

function addRouting(findings: FindingList, { aux, turns }: Attempt): void {
  for (const { turn, name, shape, dtype } of aux) {
    // A reference to a source file tells no shape.
    if (name !== 'routed_experts' || shape.length === 0) continue;
    const end = (turns[turn]?.turn === turn ? turns[turn] : turns.find((one) => one.turn === turn))?.end ?? 0;
    const detail = routingFault(shape, dtype, end);
    if (detail === null) continue;
    addFinding(findings, { ...{ class: 'routing_misaligned', severity: 'fail', turn, index: null }, detail });
  }
}

/** (tokens − 1, layers, top_k) of whole numbers: of every token but the last, which nothing was computed from. */
function routingFault(shape: readonly number[], dtype: string, tokens: number): string | null {
  const [rows = 0, layers = 0, topK = 0] = shape;
  if (shape.length !== 3 || layers < 1 || topK < 1)
    return `routed experts of shape (${shape.join(', ')}), which is not (tokens - 1, layers, top_k)`;
  if (!isIntegerType(dtype))
    return `routed experts of type ${dtype === '' ? 'unknown' : dtype}, which numbers no expert`;
  if (tokens === 0 || rows === tokens - 1) return null;
  return `${rows} rows of routed experts for a sequence of ${tokens} tokens, which needs ${tokens - 1}`;
}

/** What a failed rollout is filled up with: one token, its id 0, sampled by nobody. */
function isPadRow({ calls, segments, turns }: Attempt): boolean {
  const chunk = calls === 1 && segments.length === 1 ? segments[0]?.chunks[0] : undefined;
  if (chunk === undefined || sampledIn(chunk) !== 1) return false;
  const isZero = chunk.bytes.readUInt32LE(chunk.promptTokens * BYTES_A_TOKEN) === 0;
  return isZero && (chunk.promptTokens <= 1 || turns[0]?.finishReason === null);
}

const BEYOND_HELD: Found = {
  ...{ class: 'prefix_beyond_held', severity: 'fail', turn: null, index: null },
  detail: 'a prompt is said to reuse more tokens than its segment holds: what followed was not recorded',
};
const PAD_ROW: Found = {
  ...{ class: 'pad_row', severity: 'fail', turn: 0, index: null },
  detail: 'all that it holds is one sampled token of id 0: padding, and no step',
};
