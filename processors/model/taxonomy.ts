/** (system, raw value) → code → category, a versioned document. */
export interface Taxonomy {
  /** SHA-256 of the document, hex. */
  readonly id: string;
  readonly version: string;
  /** Category of each code. */
  readonly categories: ReadonlyMap<string, string>;
  /** Exact values by system; the system `*` holds for all. */
  readonly exact: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Categories from the one that outranks the others to the one that every other outranks. */
  readonly precedence: readonly string[];
}
