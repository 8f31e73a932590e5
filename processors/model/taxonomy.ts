/** (system, raw value) → code → category: a versioned document. */
export interface Taxonomy {
  /** SHA-256 of the document, hex. */
  readonly id: string;
  readonly version: string;
  /** Category of each code. */
  readonly categories: ReadonlyMap<string, string>;
  /** What it maps, by system. */
  readonly systems: ReadonlyMap<string, SystemMap>;
  /** Codes whose reasons say whose time-out or memory it was. */
  readonly attributed: ReadonlyMap<string, 'timeout' | 'memory'>;
  /** Codes that say less than the limit which the end event names, mapped under the system `limit`. */
  readonly refinedByLimit: ReadonlySet<string>;
  /** Place of each category: the lowest decides. verifier_fault has none: it never competes with why the loop ended. */
  readonly rank: ReadonlyMap<string, number>;
  /** What an engine's finish reason means, whichever engine it is. Absent: nobody knows, or they disagree. */
  readonly finishReasons: ReadonlyMap<string, FinishMeaning>;
  /** The same by engine. `unclear`: a word that engine uses, which says neither. */
  readonly engines: ReadonlyMap<string, ReadonlyMap<string, FinishMeaning | 'unclear'>>;
  /** Codes of a raw value, remembered. Empty: it is not mapped. */
  readonly codesOf: (system: string, raw: string) => readonly string[];
}

export type FinishMeaning = 'complete' | 'cut' | 'aborted';

/** The values of one system. Exact values come first, then exception classes, then patterns in order. */
export interface SystemMap {
  readonly exact: Map<string, string>;
  /** Last part of a dotted name. */
  readonly classes: Map<string, string>;
  readonly patterns: Array<{ readonly pattern: Pattern; readonly code: string }>;
  /** `A (B)` says both A and B. */
  composite: boolean;
  /** What it does not map may be an exception of any library, mapped under the system `exception`. */
  raisesAny: boolean;
}

/** Text in which each `*` stands for any characters, or none; the parts between the stars. */
export interface Pattern {
  readonly text: string;
  readonly parts: readonly string[];
}

/** A document of rules that cannot be used, and where. */
export interface DocumentProblem {
  /** Path in the document, such as `categories.budget.disposition`. */
  readonly path: string;
  /** The other place, where two contradict each other. */
  readonly otherPath?: string;
  readonly expected: string;
  readonly got: string;
  /** Names that may stand there: one of them was probably meant. */
  readonly allowed?: readonly string[];
}

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly DocumentProblem[] };
