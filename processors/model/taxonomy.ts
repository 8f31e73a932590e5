/** (system, raw value) → code → category: a versioned document. */
export interface Taxonomy {
  /** SHA-256 of the document, hex. */
  readonly id: string;
  readonly version: string;
  /** Category of each code. */
  readonly categories: ReadonlyMap<string, string>;
  /** Exact values by system. */
  readonly exact: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Categories, from the one that outranks the others to the one that every other outranks. */
  readonly precedence: readonly string[];
  /** What an engine's finish reason means. Absent: nobody knows. */
  readonly finishReasons: ReadonlyMap<string, FinishMeaning>;
}

export type FinishMeaning = 'complete' | 'cut' | 'aborted';

/** A document of rules that cannot be used, and where. */
export interface DocumentProblem {
  /** Path in the document, such as `categories.budget.disposition`. */
  readonly path: string;
  /** The other place, where two contradict each other. */
  readonly otherPath?: string;
  readonly expected: string;
  readonly got: string;
}

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly DocumentProblem[] };
