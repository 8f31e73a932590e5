import type { Found } from '../../model/audit-summary.ts';
import type { ExecutedCall, ExecutedTurn } from '../../model/tools-watch.ts';
import { type FoundList, foundIn } from './found-list.ts';
import { contentEnd } from './parse/content-end.ts';
import { dialectOfText } from './parse/dialect-of.ts';
import type { OpensInThought } from './parse/parse-calls.ts';
import type { Dialect } from './parse/strict-call.ts';
import { beginTurn } from './turn/begin-turn.ts';
import { endTurn } from './turn/end-turn.ts';
import { judgeResult } from './turn/judge-result.ts';

export interface DecodedContext {
  /** Dialect of the model, where other turns have shown it; null: by what the text says. */
  readonly dialect: Dialect | null;
  /** Tools that the model was offered; null: unknown. */
  readonly offered: readonly string[] | null;
  /** The sampler was stopped before the model was done; null: unknown. */
  readonly isCut: boolean | null;
  /** The prompt ended within a thought; null: unknown. */
  readonly opensInThought: OpensInThought;
}

const NOTHING_KNOWN: DecodedContext = { dialect: null, offered: null, isCut: null, opensInThought: null };

/**
 * The audit of one turn whose text was decoded from its tokens. Whether the model was told of an error is not looked at: that
 * stands in the next prompt. null: its calls are in no dialect that is known, and nothing was proved.
 */
export function auditDecodedCalls(
  text: string,
  executed: ExecutedTurn,
  context: Partial<DecodedContext> = {},
): Found[] | null {
  const { dialect: named, offered, isCut, opensInThought } = { ...NOTHING_KNOWN, ...context };
  const dialect = named ?? dialectOfText(text);
  if (dialect === null) return executed.calls.length === 0 ? [] : null;
  const list: FoundList = { findings: [], more: null };
  // A result that comes again for a call is no other call of the loop.
  const isListed = ({ callId, parsed }: ExecutedCall, i: number) =>
    parsed !== null || executed.calls.findIndex((other) => other.callId === callId) === i;
  const listed = executed.calls.filter(isListed).map(({ callId, name, parsed }) => ({
    ...{ callId, name, raw: null, parsed, status: 'unknown' as const },
  }));
  const facts = {
    turn: executed.turn,
    written: { text, dialect },
    listed,
    listsCalls: true,
    ...{ offered, isCut, opensInThought },
  };
  const notes = beginTurn(facts, list);
  for (const { callId, name, executed: ran, status } of executed.calls)
    if (status !== null) judgeResult(notes, { callId, name, executed: ran, status, output: null }, list);
  // Where the engine has not said: what ends in the middle, and without an end token, was cut.
  const endsOpen = notes.thinkUnclosed || notes.calls.some(({ isOpen }) => isOpen);
  endTurn(notes, { isLast: true, isCut: endsOpen && contentEnd(text) === text.trimEnd().length }, list);
  return [...foundIn(list)];
}
