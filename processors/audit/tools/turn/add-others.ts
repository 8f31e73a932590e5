import type { ToldArguments } from '../../../model/tools-watch.ts';
import { around } from '../around.ts';
import { canonicalOfTold, hashOfTold } from '../compare/told-arguments.ts';
import { addFound, type FoundList } from '../found-list.ts';
import type { ListedCall } from './begin-turn.ts';
import { callLabel } from './call-label.ts';

/** The loop means to execute it. */
export function isTaken({ status }: ListedCall): boolean {
  return status === 'ok' || status === 'repaired' || status === 'unknown';
}

export interface ListedCalls {
  readonly turn: number;
  readonly text: string;
  readonly listed: readonly ListedCall[];
  readonly loops: ReadonlyArray<ToldArguments | null>;
  /** Indexes of those that the text does not have. */
  readonly others: readonly number[];
}

/** Calls of the loop that the text does not have: another one told twice, or made up. */
export function addOthers(list: FoundList, { turn, text, listed, loops, others }: ListedCalls): void {
  if (others.length === 0) return;
  const keyOf = ({ callId, name }: ListedCall, index: number) => {
    const loop = loops[index] ?? null;
    return `${callId}\u0000${name}\u0000${loop === null ? '' : hashOfTold(loop)}`;
  };
  const without = new Set(others);
  const known = new Set(listed.map((call, i) => (without.has(i) ? null : keyOf(call, i))));
  for (const index of others) {
    const call = listed[index];
    if (call === undefined || !isTaken(call)) continue;
    const label = callLabel(call.callId, call.name);
    if (known.has(keyOf(call, index)))
      addFound(list, { class: 'duplicate_tool_event', severity: 'warn', turn, index: null }, () => ({
        detail: `${label}: stands twice in the loop's list, and once in the text`,
      }));
    else
      addFound(list, { class: 'executed_without_call', severity: 'fail', turn, index: null }, () => ({
        detail: `${label}: the loop has a call that the text does not have`,
        evidence: { text: around(shownOf(loops[index] ?? null), 0), expectedText: around(text, text.length) },
      }));
  }
}

function shownOf(loop: ToldArguments | null): string {
  return loop === null ? '' : (canonicalOfTold(loop) ?? '');
}
