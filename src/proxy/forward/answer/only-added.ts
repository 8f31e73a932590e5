import { endOfValue, isNull, NOWHERE, scanArray, scanObject } from '../json/scan.ts';

/**
 * Whether a chunk (the object at `from`), after the cut, holds nothing that it was sent for: both engines send one for tokens that a
 * parser keeps to itself only where ids or logprobs were asked for, and SGLang a last one for `sglext`.
 */
export function isOnlyAdded(chunk: Buffer, from: number, emptySaysNothing: boolean): boolean {
  let choices = NOWHERE;
  let sglext = NOWHERE;
  const end = scanObject(chunk, from, (key, _, start) => {
    if (key === 'choices') {
      choices = 0;
      // What says something ends the scan.
      return scanArray(chunk, start, (choice) =>
        choices++ === 0 ? endOfNothing(chunk, choice, emptySaysNothing) : NOWHERE,
      );
    }
    if (key === 'sglext') sglext = start;
    return endOfValue(chunk, start);
  });
  if (end === NOWHERE || choices === NOWHERE) return false;
  return choices === 1 || (sglext !== NOWHERE && isEmptyObject(chunk, sglext));
}

/** Behind a choice with neither a reason to end, nor what the client itself asked for; NOWHERE: it says something. */
function endOfNothing(chunk: Buffer, from: number, emptySaysNothing: boolean): number {
  let hasDelta = false;
  const end = scanObject(chunk, from, (key, _, start) => {
    if (key === 'delta') {
      hasDelta = true;
      return endOfNothingSaid(chunk, start, emptySaysNothing);
    }
    const valueEnd = endOfValue(chunk, start);
    return key === 'index' || isNull(chunk, start, valueEnd) ? valueEnd : NOWHERE;
  });
  return hasDelta ? end : NOWHERE;
}

function endOfNothingSaid(chunk: Buffer, from: number, emptySaysNothing: boolean): number {
  let hasRole = false;
  let hasEmpty = false;
  const end = scanObject(chunk, from, (key, _, start) => {
    const valueEnd = endOfValue(chunk, start);
    if (key === 'role') hasRole = true;
    if (isNull(chunk, start, valueEnd)) return valueEnd;
    // An empty text is two quotes.
    const isEmpty = emptySaysNothing && valueEnd - start === 2;
    hasEmpty ||= isEmpty;
    return isEmpty ? valueEnd : NOWHERE;
  });
  return hasEmpty && hasRole ? NOWHERE : end;
}

function isEmptyObject(chunk: Buffer, from: number): boolean {
  let members = 0;
  const end = scanObject(chunk, from, (_, __, start) => {
    members += 1;
    return endOfValue(chunk, start);
  });
  return end !== NOWHERE && members === 0;
}
