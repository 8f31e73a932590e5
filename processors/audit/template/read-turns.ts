import type { DeepRange, DeepSegment } from '../../model/deep-input.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { readHeader, type TurnHeader } from './read-header.ts';
import { endIdsOf, type TemplateRules } from './template-rules.ts';

/** One turn of a segment, from what opens it. Indices are those of the segment. */
export interface TurnSpan extends TurnHeader {
  readonly open: number;
  /** Range that it opens in. */
  readonly range: number;
  /** Of the body: the token that ended it, the next one's opening, or the end of the segment. */
  end: number;
  /** What ended it; null: nothing did. */
  closedBy: number | null;
  /** First token in it that was sampled; null: none was. */
  sampledAt: number | null;
  /** Range of its last sampled token. */
  lastSampled: number | null;
  /** What follows its end, before the next turn or the next sampled token, ends here. */
  gapEnd: number;
}

/** A segment, as its template's tokens divide it. */
export interface TurnMap {
  readonly turns: readonly TurnSpan[];
  /** By range: the turns that open in it. */
  readonly openedIn: ReadonlyArray<readonly TurnSpan[]>;
  /** By range: the turn its first sampled token is in; null: in none, or none was sampled. */
  readonly sampledIn: ReadonlyArray<TurnSpan | null>;
}

/**
 * Prompts are divided by what opens and ends turns. What was sampled is text of the policy, whatever it holds: only an end at its
 * very end is one.
 */
export function readTurns(segment: DeepSegment, rules: TemplateRules, tokenizer: Tokenizer): TurnMap {
  const { tokenIds: ids } = segment;
  const ends = endIdsOf(rules);
  const turns: TurnSpan[] = [];
  const openedIn: TurnSpan[][] = segment.ranges.map(() => []);
  const sampledIn: Array<TurnSpan | null> = [];
  let current: TurnSpan | null = null;
  const open = (at: number, range: number, limit: number): TurnSpan => {
    if (current !== null) current.end = at;
    const before = turns.at(-1);
    if (before !== undefined) before.gapEnd = Math.min(before.gapEnd, at);
    const header = readHeader(ids, at, limit, rules, tokenizer);
    const turn: TurnSpan = {
      ...header,
      open: at,
      range,
      end: ids.length,
      closedBy: null,
      sampledAt: null,
      lastSampled: null,
      gapEnd: ids.length,
    };
    turns.push(turn);
    openedIn[range]?.push(turn);
    return turn;
  };
  const close = (at: number): null => {
    if (current !== null) {
      current.end = at;
      current.closedBy = ids[at] ?? null;
    }
    return null;
  };
  segment.ranges.forEach((range, index) => {
    const promptEnd = promptEndOf(range);
    for (let at = range.promptStart; at < promptEnd; at++) {
      const id = ids[at];
      if (id === rules.turnOpenId) current = open(at, index, promptEnd);
      else if (id === rules.endOfTurnId) current = close(at);
    }
    const isSampled = range.end > promptEnd;
    sampledIn.push(isSampled ? current : null);
    if (!isSampled) return;
    if (current !== null) {
      current.sampledAt ??= promptEnd;
      current.lastSampled = index;
    }
    const last = turns.at(-1);
    if (current === null && last !== undefined) last.gapEnd = Math.min(last.gapEnd, promptEnd);
    if (ends.has(ids[range.end - 1] ?? -1)) current = close(range.end - 1);
  });
  return { turns, openedIn, sampledIn };
}

/** A fork may have cut a copied range short, even before its first sampled token. */
export function promptEndOf(range: DeepRange): number {
  return Math.min(range.sampledStart, range.end);
}
