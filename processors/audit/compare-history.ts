import type { HeldRange, HeldTokens } from './tokens-from.ts';

/** Where a prompt leaves what was held. Places count from where the two were last known to be one. */
export interface HistoryBreak {
  /**
   * drift: sampled tokens stand there as others, between tokens that are the same: somebody decoded and encoded them.
   * rewritten: something was left out, put in, or replaced by what cannot be aligned: ids alone cannot say why.
   */
  readonly kind: 'drift' | 'rewritten';
  readonly at: number;
  readonly newAt: number;
  /** Tokens held from `at` on that others stand for, and how many those are; null: they never meet again. */
  readonly gone: number | null;
  readonly came: number | null;
  /** Range of the held tokens that it lies in. */
  readonly within: HeldRange;
}

/** Tokens that must be the same for two sequences to have met again within a range. */
const ANCHOR = 8;
/** Farther apart than this, two texts that meet again are not one text encoded twice. */
const WINDOW = 64;
/** One text encoded twice has about as many tokens: of no more than four characters where the other has one each. */
const MOST_RATIO = 4;
const MOST_BREAKS = 64;
const SLOTS = 256;

/** Compares what a prompt holds in the place of held tokens. null: all of them are there. The first drift counts, else the first break. */
export function compareHistory({ ids: held, ranges }: HeldTokens, prompt: Uint32Array): HistoryBreak | null {
  let first: HistoryBreak | null = null;
  let at = 0;
  let newAt = 0;
  let range = 0;
  for (let breaks = 0; breaks < MOST_BREAKS; breaks++) {
    while (at < held.length && newAt < prompt.length && held[at] === prompt[newAt]) {
      at += 1;
      newAt += 1;
    }
    if (at === held.length) return first;
    while ((ranges[range]?.end ?? at + 1) <= at) range += 1;
    const within = ranges[range];
    if (within === undefined) return first;
    const met = newAt === prompt.length ? null : meetAgain(held, at, endOf(ranges, range, at), prompt, newAt);
    const [gone, came] = [met?.gone ?? null, met?.came ?? null];
    if (met?.isReplaced && within.isSampled) return { kind: 'drift', at, newAt, gone, came, within };
    first ??= { kind: 'rewritten', at, newAt, gone, came, within };
    // After another prompt comes another completion: it is not this one encoded again.
    if (met === null || met.isReplaced) return first;
    at += met.gone;
    newAt += met.came;
  }
  return first;
}

/** A prefilled `<think>` is prompt, and goes with the thinking that follows it. */
function endOf(ranges: readonly HeldRange[], range: number, at: number): number {
  const own = ranges[range];
  if (own === undefined) return at;
  const next = ranges[range + 1];
  return !own.isSampled && next?.isSampled === true && own.end - at <= ANCHOR ? next.end : own.end;
}

interface Met {
  readonly gone: number;
  readonly came: number;
  readonly isReplaced: boolean;
}

/** The nearest place at which both go on alike: what is only missing before what is only added before what stands for another. */
function meetAgain(held: Uint32Array, at: number, end: number, prompt: Uint32Array, newAt: number): Met | null {
  const near = Math.min(end - at, 2 * WINDOW + 1);
  const places = placesOf(prompt, newAt);
  let best: Met | null = null;
  for (let gone = 0; gone < near; gone++) {
    if (best !== null && gone > best.gone + best.came) break;
    const found = places.last[slotOf(held[at + gone] ?? 0)] ?? -1;
    for (let came = found; came >= 0; came = places.before[came] ?? -1) {
      if (gone + came === 0 || (best !== null && !isNearer(gone, came, best))) continue;
      if (!mayMeet(gone, came) || !isSame(held, at + gone, end, prompt, newAt + came)) continue;
      best = { gone, came, isReplaced: gone > 0 && came > 0 };
    }
  }
  if (best !== null) return best;
  for (let gone = near; at + gone < end; gone++)
    if (isSame(held, at + gone, end, prompt, newAt)) return { gone, came: 0, isReplaced: false };
  return null;
}

/** One text encoded twice is nowhere far apart, and neither count is more than MOST_RATIO times the other. */
function mayMeet(gone: number, came: number): boolean {
  if (gone === 0 || came === 0) return true;
  return gone <= WINDOW && Math.max(gone, came) <= MOST_RATIO * Math.min(gone, came);
}

/** Of two that are as far, what is only missing comes before what is only added, and that before what stands for another. */
function isNearer(gone: number, came: number, best: Met): boolean {
  const [sum, bestSum] = [gone + came, best.gone + best.came];
  if (sum !== bestSum) return sum < bestSum;
  return came === 0 || (best.isReplaced && gone === 0);
}

interface Places {
  /** Last place in the window of ids that share a slot, and for each place the one before that shares it; -1: none. */
  readonly last: Int8Array;
  readonly before: Int8Array;
}

function placesOf(prompt: Uint32Array, newAt: number): Places {
  const count = Math.min(WINDOW + 1, prompt.length - newAt);
  const last = new Int8Array(SLOTS).fill(-1);
  const before = new Int8Array(count);
  for (let i = 0; i < count; i++) {
    const slot = slotOf(prompt[newAt + i] ?? 0);
    before[i] = last[slot] ?? -1;
    last[slot] = i;
  }
  return { last, before };
}

/** Some ids share one: whether two are the same is looked at anyway. */
function slotOf(id: number): number {
  return id & (SLOTS - 1);
}

/** So many are the same that it is no accident, or all to the end of the range, which a completion closes with its stop token. */
function isSame(held: Uint32Array, at: number, end: number, prompt: Uint32Array, newAt: number): boolean {
  if (at >= end || held[at] !== prompt[newAt]) return false;
  const count = Math.min(ANCHOR, end - at);
  for (let i = 1; i < count; i++) if (held[at + i] !== prompt[newAt + i]) return false;
  return true;
}
