import { Fragment } from 'preact';

/**
 * Text of a rollout: whatever a model, a tool or a web page wrote. It is never markup, no link in it can be followed, and what
 * would change how other text looks is shown as what it is: control characters, ANSI escapes, and the bidirectional and invisible
 * ones that make text read differently from its bytes (CVE-2021-42574, "Trojan Source").
 */
export function UntrustedText({ text }: { readonly text: string }) {
  return <bdi class="untrusted">{shownParts(text).map(drawn)}</bdi>;
}

/** A run of text as it is, or the name of one character that is not. */
export interface ShownPart {
  readonly kind: 'text' | 'mark';
  readonly text: string;
}

/** Control, format and ignorable characters, lone surrogates, separators of lines and paragraphs; tabs and line feeds stay. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export function shownParts(text: string): ShownPart[] {
  const parts: ShownPart[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    parts.push({ kind: 'mark', text: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** As one text, for where no element can stand: labels of a chart, text of a drawing, options of a list. */
export function plainText(text: string): string {
  return shownParts(text)
    .map(({ kind, text: part }) => (kind === 'text' ? part : `\u2039${part}\u203a`))
    .join('');
}

function drawn({ kind, text }: ShownPart, index: number) {
  return kind === 'text' ? (
    <Fragment key={index}>{text}</Fragment>
  ) : (
    <span key={index} class="mark" title="a character that cannot be seen">
      {text}
    </span>
  );
}

const NAMES: Readonly<Record<string, string>> = { '\u001b': 'ESC', '\r': 'CR', '\u0000': 'NUL', '\ufeff': 'BOM' };

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMES[character] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
