/** One announcement of the trainer, as the log holds it. */
export interface WeightsEvent {
  readonly lineage: string;
  readonly version: string;
  /** Place in the order of announcement: the number of versions that the trainer has made before. */
  readonly ordinal: number;
}

/** Weights versions of one run. */
export interface RunWeights {
  /** The surviving history that announces now. */
  readonly lineage: string;
  /** Ordinal of the version being updated: the one announced last. */
  readonly current: number;
  /** Ordinals by name, the newest `MOST_VERSIONS`. Holds: rising in this order; the last one is `current`. */
  readonly ordinals: ReadonlyMap<string, number>;
  /** Lineages that were left: what still comes of them is void. The newest `MOST_LINEAGES`. */
  readonly left: readonly string[];
}

/** By run; the run that announced last is the last. Frozen with every cut: a change makes a new map. */
export type WeightsByRun = ReadonlyMap<string, RunWeights>;

export const NO_WEIGHTS: WeightsByRun = new Map();

/** An older version is unknown, and unknown is never fresh: no run trains on what is 128 steps behind by accident. */
export const MOST_VERSIONS = 128;
export const MOST_RUNS = 64;
export const MOST_LINEAGES = 32;

/**
 * The weights in force once `event` is folded; the same map when it says nothing new. Repeats are void by their ordinal, a name
 * that is used again by the first that had it, what a trainer of a lineage that was left still says by its lineage. A new
 * lineage begins where it left the one before: versions from its first ordinal on are no more, and so unknown.
 */
export function withVersion(weights: WeightsByRun, runId: string, event: WeightsEvent): WeightsByRun {
  const { lineage, version, ordinal } = event;
  if (version === '' || !Number.isSafeInteger(ordinal) || ordinal < 0) return weights;
  const held = weights.get(runId) ?? { lineage, current: -1, ordinals: new Map<string, number>(), left: [] };
  const isSame = held.lineage === lineage;
  if (isSame ? ordinal <= held.current : held.left.includes(lineage)) return weights;
  const surviving = [...held.ordinals].filter(([, at]) => at < ordinal);
  if (surviving.some(([name]) => name === version)) return weights;
  const changed: RunWeights = {
    lineage,
    current: ordinal,
    ordinals: new Map([...surviving, [version, ordinal] as const].slice(-MOST_VERSIONS)),
    left: isSame ? held.left : [...held.left, held.lineage].slice(-MOST_LINEAGES),
  };
  const others = [...weights].filter(([id]) => id !== runId);
  return new Map([...others, [runId, changed] as const].slice(-MOST_RUNS));
}
