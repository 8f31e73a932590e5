import { compareText } from './compare-text.ts';

/** Order of two versions by name: runs of digits as numbers (`v9` < `v10`, `1.2` < `1.10`), all else as text; a longer one after its prefix. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const ours = a.match(PARTS) ?? [];
  const theirs = b.match(PARTS) ?? [];
  for (let i = 0; i < Math.min(ours.length, theirs.length); i++) {
    const order = compareParts(ours[i] ?? '', theirs[i] ?? '');
    if (order !== 0) return order;
  }
  // `01` and `1` are one number: the text decides, so that no two names are equal.
  return ours.length - theirs.length || compareText(a, b);
}

const PARTS = /\d+|\D+/g;

/** Digits of any length: without leading zeros, the longer one is the larger number. */
function compareParts(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareText(a, b);
  const [ours, theirs] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return ours.length - theirs.length || compareText(ours, theirs);
}
