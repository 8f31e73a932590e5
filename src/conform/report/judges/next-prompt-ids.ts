import { idsAround } from '../evidence.ts';
import type { SeenTurn } from '../seen.ts';
import type { Evidence, Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** The next prompt begins with the ids that stood in the engine: what was sampled, not what its text is encoded as. */
export const judgeNextPromptIds: Judge = ({ turns }) => turns.flatMap((turn) => judge(turn) ?? []);

function judge({ turn, taken, next }: SeenTurn): Judgement | null {
  if (next === null || taken.status !== 200) return null;
  const { heldIds, promptIds, commonPrefix, isSameText, addedText } = next;
  if (commonPrefix === heldIds.length)
    return faithful('next_prompt_ids', turn, `the next prompt begins with all ${heldIds.length} ids`);
  const evidence: Evidence[] = [
    { of: 'engine', call: taken.call, index: commonPrefix, ids: idsAround(heldIds, commonPrefix), text: null },
    { of: 'next_prompt', call: next.call, index: commonPrefix, ids: idsAround(promptIds, commonPrefix), text: null },
  ];
  const sampled = commonPrefix - taken.promptIds.length;
  if (isSameText) {
    const place = sampled >= 0 ? `sampled token ${sampled}` : `token ${commonPrefix} of the prompt`;
    return laundered('next_prompt_ids', 'reencoded', turn, `the same text with other ids from ${place} on`, evidence);
  }
  if (sampled < 0)
    return notObservable(
      'next_prompt_ids',
      turn,
      'what stood before the answer was rewritten, and all that follows',
      evidence,
    );
  if (isThoughtLeftOut(taken.rawText, addedText))
    return notObservable('next_prompt_ids', turn, 'the thought was left out of the history', evidence);
  const detail = `what was sampled stands otherwise in the next prompt, from sampled token ${sampled} on`;
  const texts = evidence.map((one) => ({
    ...one,
    text: one.of === 'engine' ? taken.rawText : addedText.slice(0, 400),
  }));
  return laundered('next_prompt_ids', 'rewritten', turn, detail, texts);
}

/** Templates of models that think leave earlier thoughts out: another context, and known to be one. */
function isThoughtLeftOut(said: string, added: string): boolean {
  const end = said.lastIndexOf('</think>');
  if (end === -1 || added.includes('</think>')) return false;
  const answer = said.slice(end + '</think>'.length).trim();
  return answer !== '' && added.includes(answer.split('<|')[0]?.trim() ?? answer);
}
