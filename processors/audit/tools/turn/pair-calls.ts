import type { ToldArguments } from '../../../model/tools-watch.ts';
import { hashOfTold, isSameTold } from '../compare/told-arguments.ts';

/** A call to be paired. */
export interface Pairable {
  readonly name: string | null;
  /** Arguments; null: there are none that can be read. */
  readonly told: ToldArguments | null;
}

export interface Pairs {
  /** By written call, then by draft: the index of the loop's call that is it; -1: the loop has none. */
  readonly ofWritten: readonly number[];
  readonly ofDraft: readonly number[];
  /** Loop's calls that are none of them. */
  readonly others: readonly number[];
}

/**
 * Which call of the loop is which of the text: the same name and arguments first, then a draft that is the same, then the
 * same name, then what is left in order where the text has no name that can be read.
 */
export function pairCalls(
  written: readonly Pairable[],
  drafts: readonly Pairable[],
  listed: readonly Pairable[],
): Pairs {
  if (drafts.length === 0 && isOneByOne(written, listed))
    return { ofWritten: written.map((_, i) => i), ofDraft: [], others: [] };
  const ofWritten: number[] = written.map(() => -1);
  const ofDraft: number[] = drafts.map(() => -1);
  let open = listed.map((_, i) => i);
  const pass = (
    calls: readonly Pairable[],
    pairs: number[],
    keyOf: (call: Pairable) => string | null,
    keyOfListed = keyOf,
  ): void => {
    if (open.length === 0) return;
    const free = new Map<string, number[]>();
    // From the last one on, so that pop takes the first.
    for (let i = calls.length - 1; i >= 0; i--) {
      const call = calls[i];
      const key = call === undefined || pairs[i] !== -1 ? null : keyOf(call);
      if (key === null) continue;
      const queue = free.get(key);
      if (queue === undefined) free.set(key, [i]);
      else queue.push(i);
    }
    open = open.filter((index) => {
      const call = listed[index];
      const key = call === undefined ? null : keyOfListed(call);
      const at = key === null ? undefined : free.get(key)?.pop();
      if (at === undefined) return true;
      pairs[at] = index;
      return false;
    });
  };
  const whole = ({ name, told }: Pairable) => (told === null ? null : `${name}\u0000${hashOfTold(told)}`);
  const byName = ({ name }: Pairable) => name;
  pass(written, ofWritten, whole);
  pass(drafts, ofDraft, whole);
  pass(written, ofWritten, byName);
  pass(drafts, ofDraft, byName);
  pass(
    written,
    ofWritten,
    ({ name }) => (name === null ? '' : null),
    () => '',
  );
  return { ofWritten, ofDraft, others: open };
}

/** As it nearly always is: both have the same calls in the same order. */
function isOneByOne(written: readonly Pairable[], listed: readonly Pairable[]): boolean {
  if (written.length !== listed.length) return false;
  return written.every(({ name, told }, i) => {
    const other = listed[i];
    return told !== null && other !== undefined && name === other.name && isSameTold(told, other.told);
  });
}
