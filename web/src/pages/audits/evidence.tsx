import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type AlignedPair, align, firstDifference, wordsOf } from './align.ts';

interface EvidenceProps {
  readonly ids: readonly number[];
  readonly expectedIds: readonly number[];
  readonly text: string;
  readonly expectedText: string;
}

/** What was there beside what should have been, with the first place where they part; a side that nobody told is left out. */
export function Evidence({ ids, expectedIds, text, expectedText }: EvidenceProps) {
  return (
    <>
      {ids.length + expectedIds.length === 0 ? null : <Ids ids={ids} expected={expectedIds} />}
      {text === '' && expectedText === '' ? null : <Texts text={text} expected={expectedText} />}
    </>
  );
}

function Ids({ ids, expected }: { readonly ids: readonly number[]; readonly expected: readonly number[] }) {
  const isPaired = ids.length > 0 && expected.length > 0;
  const pairs = align(ids, expected);
  const first = isPaired ? firstDifference(pairs) : -1;
  const parts = pairs[first];
  return (
    <div class="ids">
      <p class="faint">
        {isPaired
          ? 'Token ids: what was there above, what should have been below.'
          : `Token ids: ${ids.length > 0 ? 'what was there' : 'what should have been there'}.`}
        {parts === undefined
          ? ''
          : ` The first difference is at place ${first + 1}: ${parts.was ?? 'nothing'} instead of ${parts.expected ?? 'nothing'}.`}
      </p>
      <ol class="aligned">
        {pairs.map(({ was, expected: should }, place) => (
          <li key={place} class={isPaired ? placeClass({ was, expected: should }, place === first) : ''}>
            {ids.length === 0 ? null : <code>{was ?? '·'}</code>}
            {expected.length === 0 ? null : <code>{should ?? '·'}</code>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function placeClass<Item>({ was, expected }: AlignedPair<Item>, isFirst: boolean): string {
  if (was === expected) return '';
  return isFirst ? 'differs first' : 'differs';
}

function Texts({ text, expected }: { readonly text: string; readonly expected: string }) {
  const isPaired = text !== '' && expected !== '';
  const pairs = align(wordsOf(text), wordsOf(expected));
  const first = isPaired ? firstDifference(pairs) : -1;
  const side = (of: 'was' | 'expected', title: string) => (
    <figure>
      <figcaption>{title}</figcaption>
      <pre tabIndex={0}>
        {runsOf(pairs, of, first).map(({ content, how }, place) =>
          how === 'same' || !isPaired ? (
            <UntrustedText key={place} text={content} />
          ) : (
            <mark key={place} class={how}>
              <UntrustedText text={content} />
            </mark>
          ),
        )}
      </pre>
    </figure>
  );
  return (
    <div class="texts">
      {text === '' ? null : side('was', 'What was there')}
      {expected === '' ? null : side('expected', 'What should have been there')}
    </div>
  );
}

interface TextRun {
  content: string;
  readonly how: 'same' | 'differs' | 'first';
}

/** Words of one side that are alike in being equal or not, as one; the first that differs stands for itself. */
function runsOf(pairs: ReadonlyArray<AlignedPair<string>>, of: 'was' | 'expected', first: number): TextRun[] {
  const runs: TextRun[] = [];
  for (const [place, pair] of pairs.entries()) {
    const word = pair[of];
    if (word === null) continue;
    const how = pair.was === pair.expected ? 'same' : place === first ? 'first' : 'differs';
    const last = runs.at(-1);
    if (last?.how === how) last.content += word;
    else runs.push({ content: word, how });
  }
  return runs;
}
