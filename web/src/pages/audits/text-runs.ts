import { type AlignedPair, align, wordsOf } from './align.ts';

/** A stretch of one side. gap: nothing stands here where the other side begins to differ. */
export interface TextRun {
  readonly how: 'same' | 'differs' | 'first' | 'gap';
  readonly text: string;
}

/** What a written call has around its arguments, which those that ran have not: it is no difference. */
const BEFORE_ARGUMENTS = /^[\s\S]*?"(?:arguments|parameters|input)"\s*:\s*(?=\{)/;
const AFTER_CALL = /\s*<\/?[\w:|-]+>\s*$/;

/** Both sides as runs of words that are alike in being equal or not, and the first difference that is more than blanks. */
export function textRuns(expected: string, was: string): { readonly expected: TextRun[]; readonly was: TextRun[] } {
  const [head = ''] = BEFORE_ARGUMENTS.test(was) ? [] : (BEFORE_ARGUMENTS.exec(expected) ?? []);
  const [tail = ''] = head === '' ? [] : (AFTER_CALL.exec(expected) ?? []);
  const core = expected.slice(head.length, expected.length - tail.length);
  const pairs = align(wordsOf(was), wordsOf(core));
  const first = pairs.findIndex(isDifference);
  return {
    expected: joined([same(head), ...sideOf(pairs, 'expected', first), same(tail)]),
    was: joined(sideOf(pairs, 'was', first)),
  };
}

function isDifference({ was, expected }: AlignedPair<string>): boolean {
  return was !== expected && `${was ?? ''}${expected ?? ''}`.trim() !== '';
}

function sideOf(pairs: ReadonlyArray<AlignedPair<string>>, side: 'was' | 'expected', first: number): TextRun[] {
  return pairs.map((pair, place) => {
    const text = pair[side] ?? '';
    if (!isDifference(pair)) return same(text);
    if (place !== first) return { how: 'differs', text };
    return text === '' ? { how: 'gap', text } : { how: 'first', text };
  });
}

function same(text: string): TextRun {
  return { how: 'same', text };
}

function joined(runs: readonly TextRun[]): TextRun[] {
  const whole: TextRun[] = [];
  for (const run of runs) {
    const last = whole.at(-1);
    if (run.text === '' && run.how !== 'gap') continue;
    if (last?.how === run.how) whole[whole.length - 1] = { how: run.how, text: last.text + run.text };
    else whole.push(run);
  }
  return whole;
}
