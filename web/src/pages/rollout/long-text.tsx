import { useEffect, useRef, useState } from 'preact/hooks';
import { shownParts, UntrustedText } from '../../parts/untrusted-text.tsx';

/** Characters of a text that something is said about. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: 'call' | 'fail' | 'warn' | 'differs';
  readonly title: string;
}

interface LongTextProps {
  readonly text: string;
  readonly spans?: readonly TextSpan[];
  /** What it is, for those who cannot see the box. */
  readonly label: string;
}

/** As many characters as are drawn at once. */
const MOST_AT_FIRST = 6_000;
const CHUNK = 8_000;

/** Text of a rollout in a box. Of a long one the beginning; all of it in parts that are drawn when they come into view. */
export function LongText({ text, spans = [], label }: LongTextProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > MOST_AT_FIRST;
  const end = isLong && !isOpen ? wholeEnd(text, MOST_AT_FIRST) : text.length;
  return (
    <div class="long-text">
      <section class={isLong ? 'said folded' : 'said'} tabIndex={0} aria-label={label}>
        {isOpen && isLong ? (
          chunksOf(text).map(([from, to]) => <Chunk key={from} text={text} from={from} to={to} spans={spans} />)
        ) : (
          <Marked text={text} from={0} to={end} spans={spans} />
        )}
        {text === '' ? <span class="faint">(empty)</span> : null}
      </section>
      {isLong ? (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'show the beginning' : `show all (${sizeOf(text)})`}
        </button>
      ) : null}
    </div>
  );
}

/** A text within a line: of a long one the beginning. */
export function ShortText({ text, most = 300 }: { readonly text: string; readonly most?: number }) {
  if (text.length <= most) return <UntrustedText text={text} />;
  return (
    <>
      <UntrustedText text={text.slice(0, wholeEnd(text, most))} />
      <span class="faint"> … ({sizeOf(text)})</span>
    </>
  );
}

function Chunk({
  text,
  from,
  to,
  spans,
}: {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly spans: readonly TextSpan[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(from === 0);
  useEffect(() => {
    if (box.current === null || isSeen) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '200px' },
    );
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [isSeen]);
  return (
    <div ref={box} class={isSeen ? 'text-chunk' : 'text-chunk unseen'}>
      {isSeen ? <Marked text={text} from={from} to={to} spans={spans} /> : '…'}
    </div>
  );
}

function Marked({
  text,
  from,
  to,
  spans,
}: {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly spans: readonly TextSpan[];
}) {
  const edges = new Set([from, to]);
  for (const span of spans) for (const edge of [span.from, span.to]) if (edge > from && edge < to) edges.add(edge);
  const cuts = [...edges].sort((a, b) => a - b);
  return (
    <>
      {cuts.slice(0, -1).map((start, nth) => {
        const piece = text.slice(start, cuts[nth + 1]);
        const over = spans.filter((span) => span.from <= start && span.to > start);
        if (over.length === 0) return <UntrustedText key={start} text={piece} />;
        return (
          <mark
            key={start}
            class={over.map(({ kind }) => `over-${kind}`).join(' ')}
            title={over.map(({ title }) => title).join('; ')}
          >
            <UntrustedText text={piece} />
          </mark>
        );
      })}
    </>
  );
}

/** A pair of surrogates is one character. */
function wholeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

function chunksOf(text: string): Array<readonly [number, number]> {
  const chunks: Array<readonly [number, number]> = [];
  for (let from = 0; from < text.length; ) {
    // Within the part alone: a text without a line end would be read to its start for each of them.
    const line = from + text.slice(from, from + CHUNK).lastIndexOf('\n') + 1;
    const most =
      from + CHUNK >= text.length ? text.length : line > from + CHUNK / 2 ? line : wholeEnd(text, from + CHUNK);
    chunks.push([from, most]);
    from = most;
  }
  return chunks;
}

/** In bytes of UTF-8, as files have it. */
function sizeOf(text: string): string {
  const bytes = new Blob([text]).size;
  if (bytes >= 1_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return bytes >= 1_000 ? `${(bytes / 1_000).toFixed(0)} KB` : `${bytes} B`;
}

/** The same characters in a tooltip or a label, where no element can mark them. */
export function plainText(text: string): string {
  return shownParts(text)
    .map(({ kind, text: part }) => (kind === 'text' ? part : `[${part}]`))
    .join('');
}
