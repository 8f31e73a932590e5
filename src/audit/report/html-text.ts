/** Markup that is safe to put into a page. */
export interface Html {
  readonly markup: string;
}

/** A template whose values are escaped, but for markup of its own kind and lists of it. */
export function html(
  parts: TemplateStringsArray,
  ...values: ReadonlyArray<string | number | Html | readonly Html[]>
): Html {
  let markup = parts[0] ?? '';
  for (const [i, value] of values.entries()) markup += markupOf(value) + (parts[i + 1] ?? '');
  return { markup };
}

/** Control characters and half characters are shown as what they are. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'`]|[^\P{Cc}\n]|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const entity = ENTITIES[character];
    return entity ?? `<i>\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}</i>`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function markupOf(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}
