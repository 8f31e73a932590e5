import { isAnswered } from '../conversations.ts';
import { engineText, promptText, recordEnding } from '../evidence.ts';
import type { Seen, SeenTurn } from '../seen.ts';
import type { Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';

/** An engine that is too busy says nothing about the policy: asked again, or told as what it was. */
export const judgeRefusals: Judge = (seen) =>
  seen.turns
    .filter(({ tries }) => tries.some(({ status }) => status === 429 || status === 503))
    .map((turn) => judge(seen, turn));

const CHECK = 'refusals';
const NAMES_IT = /429|503|thrott|rate.?limit|overload|unavailable|too many|busy|capacity/i;

function judge({ record }: Seen, { turn, tries, next }: SeenTurn): Judgement {
  const refused = tries.filter(({ status }) => status === 429 || status === 503);
  const times = `HTTP ${refused.map(({ status }) => status).join(', ')}`;
  const said = refused.slice(0, 1).map((call) => engineText(call, `${times}: ${call.misbehaved ?? ''}`));
  if (tries.some(isAnswered)) return faithful(CHECK, turn, `${times}; asked again, and answered`, said);
  if (next !== null) {
    const evidence = [...said, promptText(next, next.addedText)];
    return laundered(
      CHECK,
      'refusal_as_turn',
      turn,
      `${times}; the next prompt goes on as if it had been answered`,
      evidence,
    );
  }
  const ending = record?.ending ?? null;
  if (record === null || ending === null)
    return notObservable(CHECK, turn, `${times}; never answered, and nobody says how it ended`, said);
  const evidence = [...said, recordEnding(record)];
  const isNamed = NAMES_IT.test(`${ending.raw} ${ending.detail ?? ''}`);
  if (ending.category === 'infra_fault' || isNamed)
    return faithful(CHECK, turn, `${times}; the record says so`, evidence);
  const as = ending.category === 'completion' ? 'refusal_as_finish' : 'refusal_as_failure';
  return laundered(CHECK, as, turn, `${times}; the record ends as ${ending.category}, and does not say why`, evidence);
}
