import { eachElement, isNull, type Member, membersOf, NOWHERE } from '../json/scan.ts';

/**
 * Whether a chunk, after the cut, holds nothing that it was sent for: both engines send one for tokens that a parser keeps to itself
 * only where ids or logprobs were asked for, and SGLang a last one for `sglext`.
 */
export function isOnlyAdded(chunk: Buffer, emptySaysNothing: boolean): boolean {
  const members = membersOf(chunk, 0);
  const choices = members?.get('choices');
  if (members === null || choices === undefined) return false;
  const starts: number[] = [];
  if (eachElement(chunk, choices.valueStart, (start) => starts.push(start)) === NOWHERE) return false;
  const [first] = starts;
  if (first === undefined) return isEmptyObject(chunk, members.get('sglext'));
  const choice = starts.length === 1 ? membersOf(chunk, first) : null;
  if (choice === null) return false;
  const [delta, reason] = [choice.get('delta'), choice.get('finish_reason')];
  if (delta === undefined || reason === undefined || !isNull(chunk, reason.valueStart, reason.valueEnd)) return false;
  const said = membersOf(chunk, delta.valueStart);
  return (
    said !== null &&
    [...said.values()].every(({ valueStart, valueEnd }) => {
      // An empty text is two quotes.
      return (
        isNull(chunk, valueStart, valueEnd) || (emptySaysNothing && valueEnd - valueStart === 2 && !said.has('role'))
      );
    })
  );
}

function isEmptyObject(chunk: Buffer, member: Member | undefined): boolean {
  return member !== undefined && membersOf(chunk, member.valueStart)?.size === 0;
}
