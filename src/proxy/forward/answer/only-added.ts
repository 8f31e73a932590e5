import { endOfValue, isNull, type Member, membersOf, NOWHERE, scanArray } from '../json/scan.ts';

/**
 * Whether a chunk, after the cut, holds nothing that it was sent for: both engines send one for tokens that a parser keeps to itself
 * only where ids or logprobs were asked for, and SGLang a last one for `sglext`.
 */
export function isOnlyAdded(chunk: Buffer, emptySaysNothing: boolean): boolean {
  const members = membersOf(chunk, 0);
  const choices = members?.get('choices');
  if (members === null || choices === undefined) return false;
  const starts: number[] = [];
  const end = scanArray(chunk, choices.valueStart, (start) => {
    starts.push(start);
    return endOfValue(chunk, start);
  });
  if (end === NOWHERE) return false;
  const [first] = starts;
  if (first === undefined) return isEmptyObject(chunk, members.get('sglext'));
  const choice = starts.length === 1 ? membersOf(chunk, first) : null;
  if (choice === null) return false;
  const isNothing = ({ valueStart, valueEnd }: Member): boolean => isNull(chunk, valueStart, valueEnd);
  const delta = choice.get('delta');
  const beside = [...choice.values()].filter(({ key }) => key !== 'index' && key !== 'delta');
  // Neither a reason to end, nor what the client itself asked for.
  if (delta === undefined || !beside.every(isNothing)) return false;
  const said = membersOf(chunk, delta.valueStart);
  if (said === null) return false;
  // An empty text is two quotes.
  const isEmpty = ({ valueStart, valueEnd }: Member): boolean => valueEnd - valueStart === 2 && !said.has('role');
  return [...said.values()].every((member) => isNothing(member) || (emptySaysNothing && isEmpty(member)));
}

function isEmptyObject(chunk: Buffer, member: Member | undefined): boolean {
  return member !== undefined && membersOf(chunk, member.valueStart)?.size === 0;
}
