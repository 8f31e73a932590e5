import type { TruthCall } from '../../truth.ts';
import { isAnswered } from '../conversations.ts';
import { engineText, recordEnding, recordText } from '../evidence.ts';
import { commonLength } from '../next-prompt.ts';
import type { Seen, SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** One logprob more than ids: nobody can tell which is too many, so none of them is to be trusted without a word. */
export const judgeExtraLogprobs: Judge = (seen) =>
  seen.turns.flatMap((turn) => {
    const odd = turn.tries.findLast(hasTooMany);
    return odd === undefined ? [] : [judge(seen, turn, odd)];
  });

const CHECK = 'extra_logprob';

function hasTooMany({ status, logprobs, completionIds }: TruthCall): boolean {
  return status === 200 && logprobs.length > completionIds.length;
}

function judge({ record }: Seen, { turn, tries, recorded, next }: SeenTurn, odd: TruthCall): Judgement {
  const sent = odd.logprobs.map(Math.fround);
  const counts = `${sent.length} logprobs were sent for ${odd.completionIds.length} ids`;
  const said = engineText(odd, `${counts}: ${shown(sent)}`);
  const last = tries.at(-1);
  if (last !== undefined && last !== odd && isAnswered(last))
    return faithful(CHECK, turn, `${counts}; the answer was not taken, and asked for again`, [said]);
  const kept = recorded?.logprobs ?? null;
  if (kept !== null) {
    const stored = recordText(`${kept.length} logprobs: ${shown(kept)}`);
    const { as, how } = madeOf(kept, sent);
    const detail = `${counts}; the record holds ${how}`;
    return as === null
      ? faithful(CHECK, turn, detail, [said, stored])
      : laundered(CHECK, as, turn, detail, [said, stored]);
  }
  const ending = record?.ending ?? null;
  if (record !== null && ending !== null && next === null && ending.category !== 'completion')
    return faithful(CHECK, turn, `${counts}; the record says that the call failed`, [said, recordEnding(record)]);
  if (recorded !== null && record?.calls.some(({ logprobs }) => logprobs !== null))
    return faithful(CHECK, turn, `${counts}; the record holds those of other answers, and none of this one`, [said]);
  return notObservable(CHECK, turn, `${counts}; nothing shows what was made of them`, [said]);
}

/** What the logprobs of a record are of those that were sent; `as` null: all of them. */
function madeOf(kept: readonly number[], sent: readonly number[]): { as: string | null; how: string } {
  const isFirst = commonLength(kept, sent) === kept.length;
  if (isFirst && kept.length === sent.length) return { as: null, how: 'all of them' };
  if (isFirst) return { as: 'trimmed', how: `the first ${kept.length}` };
  if (commonLength(kept, sent.slice(sent.length - kept.length)) === kept.length)
    return { as: 'shifted', how: `the last ${kept.length}: each token has that of the one after it` };
  return { as: 'other_logprobs', how: `${kept.length} others` };
}

function shown(numbers: readonly number[]): string {
  const few = numbers.slice(0, 4).map((number) => number.toPrecision(4));
  return numbers.length > 4 ? `${few.join(' ')} … ${numbers.at(-1)?.toPrecision(4)}` : few.join(' ');
}
