import { isDeepStrictEqual } from 'node:util';
import type { TruthCall } from '../../src/conform/truth.ts';
import type { RecordedRollout, RecordedRun, RecordedTry } from './recorded-tries.ts';
import type { Played, Try } from './streamed-rollouts.ts';

/**
 * What is wrong with a run, one line each: what clients saw is there once, and is what the engine sampled; whatever gave a client no
 * whole answer says one of `reasons`; each rollout has its end, and the books balance.
 */
export function checkTries(
  played: readonly Played[],
  recorded: RecordedRun,
  truth: readonly TruthCall[],
  reasons: readonly string[],
): string[] {
  const sampled = new Map(truth.map((call) => [call.requestId, call]));
  const { books, faults, deadLetters } = recorded;
  const wrong = played.flatMap((one) => {
    const rollout = recorded.rollouts.get(one.rollout);
    if (rollout === undefined) return [`${one.rollout} is not there`];
    const lines = [...checkRollout(rollout), ...checkSeen(one.tries, rollout.tries)];
    lines.push(...rollout.tries.flatMap((recordedTry) => checkSampled(recordedTry, sampled, reasons)));
    return lines.map((line) => `${one.rollout} (${one.route}): ${line}`);
  });
  if (recorded.rollouts.size !== played.length) wrong.push(`${recorded.rollouts.size} rollouts of ${played.length}`);
  if (books?.started !== played.length || books.open !== 0 || books.superseded !== 0 || !books.balanced)
    wrong.push(`the books: ${JSON.stringify(books)}`);
  wrong.push(...faults);
  if (deadLetters !== 0) wrong.push(`${deadLetters} dead letters`);
  const parts = [...recorded.rollouts.values()].flatMap(({ tries }) => tries.filter(({ error }) => error !== null));
  if (reasons.length > 0 && parts.every(({ completionIds }) => (completionIds ?? []).length === 0))
    wrong.push('no stream ended in its middle: nothing was tested');
  return wrong;
}

function checkRollout({ seqs, ends, tries }: RecordedRollout): string[] {
  const wrong: string[] = [];
  if (ends !== 1) wrong.push(`${ends} ends`);
  if (seqs.some((seq, at) => seq !== at)) wrong.push(`events ${seqs.join(', ')}`);
  // One that ended before its first chunk has none.
  const ids = tries.flatMap(({ requestId }) => requestId ?? []);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) wrong.push(`${id} is there twice`);
  return wrong;
}

/** All that a client had of a request is in the one record of it. */
function checkSeen(seen: readonly Try[], recorded: readonly RecordedTry[]): string[] {
  return seen.flatMap(({ requestId, ids, text, how }) => {
    if (requestId === null) return [];
    const found = recorded.find((one) => one.requestId === requestId);
    const what = `${requestId}, ${how}`;
    if (found === undefined) return [`${what}: it is not there`];
    const wrong: string[] = [];
    if (ids !== null && !startsWith(found.completionIds ?? [], ids))
      wrong.push(`${what}: the client saw ${ids.length} tokens, ${found.completionIds?.length ?? 'none'} are there`);
    // What is one character only with what comes next is held back by engines, and not by whoever puts chunks together.
    if (!found.text.startsWith(text.replace(/\uFFFD+$/, '')))
      wrong.push(`${what}: the client saw ${JSON.stringify(text)}, ${JSON.stringify(found.text)} is there`);
    return wrong;
  });
}

/** What is recorded was sampled so; a part of it says why it is one. */
function checkSampled(
  { requestId, promptIds, completionIds, logprobs, error }: RecordedTry,
  sampled: ReadonlyMap<string | null, TruthCall>,
  reasons: readonly string[],
): string[] {
  const wrong: string[] = [];
  const what = `${requestId}, ${error ?? 'no error'}`;
  if (error !== null && !reasons.includes(error)) wrong.push(`${what}: not one of ${reasons.join(', ')}`);
  const call = sampled.get(requestId);
  if (call === undefined) return error === null ? [...wrong, `${what}: nobody sampled it`] : wrong;
  const ids = completionIds ?? [];
  if (promptIds !== null && !isDeepStrictEqual(promptIds, call.promptIds)) wrong.push(`${what}: another prompt`);
  if (!startsWith(call.completionIds, ids)) wrong.push(`${what}: ${ids} is not the beginning of ${call.completionIds}`);
  if (logprobs !== null && !isDeepStrictEqual(logprobs, call.logprobs.slice(0, ids.length).map(Math.fround)))
    wrong.push(`${what}: other logprobs`);
  if (error === null && ids.length !== call.completionIds.length)
    wrong.push(`${what}: ${ids.length} tokens of ${call.completionIds.length}`);
  if (error === null && (promptIds === null || logprobs === null)) wrong.push(`${what}: without prompt or logprobs`);
  return wrong;
}

function startsWith(whole: readonly number[], start: readonly number[]): boolean {
  return start.every((id, at) => whole[at] === id);
}
