/** One argument of a call, as it was written, read and executed. Each is JSON; null: it is not among them. */
export interface ComparedArgument {
  readonly name: string;
  readonly written: string | null;
  readonly parsed: string | null;
  readonly executed: string | null;
  /** What is known of it does not agree. */
  readonly differs: boolean;
}

export interface ComparedArguments {
  readonly rows: readonly ComparedArgument[];
  /** Which of them are kept, and can be read as a JSON object. */
  readonly written: Kept;
  readonly parsed: Kept;
  readonly executed: Kept;
}

export type Kept = 'read' | 'unreadable' | 'not kept';

/** Arguments side by side. What was not kept is no difference: nothing says that it was another. */
export function comparedArguments(
  raw: string | null,
  parsed: string | null,
  executed: string | null,
): ComparedArguments {
  const sides = [raw, parsed, executed].map(readOf);
  const names = new Set(sides.flatMap(({ values }) => (values === null ? [] : Object.keys(values))));
  const rows = [...names].map((name) => {
    const [written = null, read = null, ran = null] = sides.map(({ values }) =>
      values === null || !Object.hasOwn(values, name) ? null : canonical(values[name]),
    );
    const known = [written, read, ran].filter((_, at) => sides[at]?.values !== null);
    return { name, written, parsed: read, executed: ran, differs: new Set(known).size > 1 };
  });
  const [w, p, e] = sides;
  return { rows, written: w?.kept ?? 'not kept', parsed: p?.kept ?? 'not kept', executed: e?.kept ?? 'not kept' };
}

function readOf(text: string | null): { readonly kept: Kept; readonly values: Record<string, unknown> | null } {
  if (text === null) return { kept: 'not kept', values: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { kept: 'read', values: { ...value } };
    return { kept: 'read', values: { '(all)': value } };
  } catch {
    return { kept: 'unreadable', values: null };
  }
}

/** The order of keys says nothing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
