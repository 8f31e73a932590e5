import type { Sides } from '../../parts/finding-sides.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type AlignedPair, align, firstDifference } from './align.ts';
import { type TextRun, textRuns } from './text-runs.ts';

interface EvidenceProps {
  readonly sides: Sides;
  readonly ids: readonly number[];
  readonly expectedIds: readonly number[];
  readonly text: string;
  readonly expectedText: string;
}

/** What should have been there, then what was, with the first place where they part; a side that nobody told is left out. */
export function Evidence({ sides, ids, expectedIds, text, expectedText }: EvidenceProps) {
  return (
    <>
      {ids.length + expectedIds.length === 0 ? null : <Ids sides={sides} ids={ids} expected={expectedIds} />}
      {text === '' && expectedText === '' ? null : <Texts sides={sides} text={text} expected={expectedText} />}
    </>
  );
}

interface IdsProps {
  readonly sides: Sides;
  readonly ids: readonly number[];
  readonly expected: readonly number[];
}

function Ids({ sides, ids, expected }: IdsProps) {
  const isPaired = ids.length > 0 && expected.length > 0;
  const pairs = align(ids, expected);
  const first = isPaired ? firstDifference(pairs) : -1;
  const parts = pairs[first];
  return (
    <div class="ids">
      <p class="faint">
        {isPaired
          ? `Token ids, “${sides.expected}” above, “${sides.was}” below.`
          : `Token ids: ${ids.length > 0 ? sides.was : sides.expected}.`}
        {parts === undefined
          ? ''
          : ` The first difference is at place ${first + 1}: ${parts.expected ?? 'nothing'} above, ${parts.was ?? 'nothing'} below.`}
      </p>
      <ol class="aligned">
        {pairs.map(({ was, expected: should }, place) => (
          <li key={place} class={isPaired ? placeClass({ was, expected: should }, place === first) : ''}>
            {expected.length === 0 ? null : <code>{should ?? '·'}</code>}
            {ids.length === 0 ? null : <code>{was ?? '·'}</code>}
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

interface TextsProps {
  readonly sides: Sides;
  readonly text: string;
  readonly expected: string;
}

function Texts({ sides, text, expected }: TextsProps) {
  const isPaired = text !== '' && expected !== '';
  const runs = isPaired ? textRuns(expected, text) : null;
  return (
    <div class="texts">
      {expected === '' ? null : (
        <Side title={sides.expected} runs={runs?.expected ?? [{ how: 'same', text: expected }]} />
      )}
      {text === '' ? null : <Side title={sides.was} runs={runs?.was ?? [{ how: 'same', text }]} />}
    </div>
  );
}

function Side({ title, runs }: { readonly title: string; readonly runs: readonly TextRun[] }) {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre tabIndex={0}>
        {runs.map(({ text, how }, place) =>
          how === 'same' ? (
            <UntrustedText key={place} text={text} />
          ) : how === 'gap' ? (
            <mark key={place} class="first gap" title="nothing stands here, where the other side has something" />
          ) : (
            <mark key={place} class={how}>
              <UntrustedText text={text} />
            </mark>
          ),
        )}
      </pre>
    </figure>
  );
}
