/** One place of two sequences beside each other; null: the other one has something more here. */
export interface AlignedPair<Item> {
  readonly was: Item | null;
  readonly expected: Item | null;
}

/** Above it the middle is paired place by place: a table of this many cells is drawn in a few ms. */
const MOST_CELLS = 1_000_000;

/**
 * Two sequences beside each other, with as many equal items in one place as can be (longest common subsequence). Of what lies
 * between equal items one is shown beside the other, in order.
 */
export function align<Item>(was: readonly Item[], expected: readonly Item[]): Array<AlignedPair<Item>> {
  const least = Math.min(was.length, expected.length);
  let head = 0;
  while (head < least && was[head] === expected[head]) head++;
  let tail = 0;
  while (tail < least - head && was[was.length - 1 - tail] === expected[expected.length - 1 - tail]) tail++;
  const equal = (items: readonly Item[]): Array<AlignedPair<Item>> =>
    items.map((item) => ({ was: item, expected: item }));
  return [
    ...equal(was.slice(0, head)),
    ...alignMiddle(was.slice(head, was.length - tail), expected.slice(head, expected.length - tail)),
    ...equal(was.slice(was.length - tail)),
  ];
}

/** -1: they are equal. */
export function firstDifference<Item>(pairs: ReadonlyArray<AlignedPair<Item>>): number {
  return pairs.findIndex(({ was, expected }) => was !== expected);
}

/** Words, blanks and single signs: what a person compares. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function alignMiddle<Item>(was: readonly Item[], expected: readonly Item[]): Array<AlignedPair<Item>> {
  if (was.length * expected.length > MOST_CELLS) return beside(was, expected);
  const width = expected.length + 1;
  const longest = new Uint32Array((was.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = expected.length - 1; j >= 0; j--)
      longest[i * width + j] = was[i] === expected[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));

  const pairs: Array<AlignedPair<Item>> = [];
  let gone: Item[] = [];
  let come: Item[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < expected.length) {
    const [left, right] = [was[i], expected[j]];
    if (left !== undefined && left === right) {
      pairs.push(...beside(gone, come), { was: left, expected: left });
      [gone, come] = [[], []];
      i++;
      j++;
    } else if (left !== undefined && (j === expected.length || at(i + 1, j) >= at(i, j + 1))) {
      gone.push(left);
      i++;
    } else {
      if (right !== undefined) come.push(right);
      j++;
    }
  }
  return [...pairs, ...beside(gone, come)];
}

function beside<Item>(was: readonly Item[], expected: readonly Item[]): Array<AlignedPair<Item>> {
  return Array.from({ length: Math.max(was.length, expected.length) }, (_, i) => ({
    was: was[i] ?? null,
    expected: expected[i] ?? null,
  }));
}
