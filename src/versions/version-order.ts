import type { PolicyVersion } from '../../schemas/generated/policy-version.ts';

/** A version of the weights of a run, in its order. */
export interface Announcement {
  readonly runId: string;
  readonly lineage: string;
  readonly step: number;
  readonly version: string;
  /** Versions that its history has made before. */
  readonly ordinal: number;
  /** Offset in policy.versions. */
  readonly source: number;
}

export type Placed =
  | { readonly kind: 'new'; readonly ordinal: number }
  /** It was announced before, the same. */
  | { readonly kind: 'repeat'; readonly of: Announcement }
  | { readonly kind: 'refused'; readonly field: 'version' | 'lineage' | 'step'; readonly why: string };

/** The order in which policy.versions announced the weights of each run. */
export interface VersionOrder {
  /** What an announcement would be; nothing changes. */
  place(announced: PolicyVersion): Placed;
  /** Takes it in when it is new. */
  add(announced: PolicyVersion, source: number): Placed;
  /** The version that the trainer updates now. */
  current(runId: string): Announcement | null;
  /** Those that survive and came at `source` or after, of each run the newest `most`; in order. */
  since(source: number, most: number): Announcement[];
  /** By name, all that the run ever announced, those of lineages that were left included; in order. It grows as more are read. */
  named(runId: string): ReadonlyMap<string, Announcement>;
}

interface RunOrder {
  lineage: string;
  readonly left: Set<string>;
  /** Every name that was ever used: it is used once, over all lineages. */
  readonly named: Map<string, Announcement>;
  surviving: Announcement[];
}

/**
 * A lineage goes on by one; another one begins behind what survives of the one before, the versions below its first step, and
 * leaves it for good: 1 l1 announces steps 1 to 5; 2 the trainer restores step 3, l2 announces step 4: ordinal 3, as l1's had;
 * 3 a trainer that still lives in l1 announces step 6: refused.
 */
export function createVersionOrder(): VersionOrder {
  const runs = new Map<string, RunOrder>();

  const place = ({ run_id, lineage, step, version }: PolicyVersion): Placed => {
    if (version === '') return refused('version', 'empty text means that the weights are unknown');
    const run = runs.get(run_id);
    const known = run?.named.get(version);
    if (known !== undefined)
      return known.lineage === lineage && known.step === step
        ? { kind: 'repeat', of: known }
        : refused(
            'version',
            `${version} is step ${known.step} of lineage '${known.lineage}': a name is used once in a run`,
          );
    if (run === undefined) return { kind: 'new', ordinal: 0 };
    if (run.left.has(lineage))
      return refused(
        'lineage',
        `lineage '${lineage}' was left for '${run.lineage}': restore, and go on in that or a new one`,
      );
    const last = survivorsOf(run, lineage, step).at(-1);
    if (lineage === run.lineage && last !== undefined && last.step >= step)
      return refused('step', `step ${last.step} was announced before: a trainer that went back opens a new lineage`);
    return { kind: 'new', ordinal: (last?.ordinal ?? -1) + 1 };
  };

  return {
    place,
    add(announced, source) {
      const placed = place(announced);
      if (placed.kind !== 'new') return placed;
      const { run_id: runId, lineage, step, version } = announced;
      const run = runs.get(runId) ?? { lineage, left: new Set(), named: new Map(), surviving: [] };
      runs.set(runId, run);
      run.surviving = survivorsOf(run, lineage, step);
      if (run.lineage !== lineage) run.left.add(run.lineage);
      run.lineage = lineage;
      const announcement = { runId, lineage, step, version, ordinal: placed.ordinal, source };
      run.named.set(version, announcement);
      run.surviving.push(announcement);
      return placed;
    },
    current: (runId) => runs.get(runId)?.surviving.at(-1) ?? null,
    since: (source, most) =>
      [...runs.values()]
        .flatMap(({ surviving }) => surviving.slice(-most).filter((one) => one.source >= source))
        .sort((a, b) => a.source - b.source),
    named: (runId) => runs.get(runId)?.named ?? NOTHING,
  };
}

const NOTHING: ReadonlyMap<string, Announcement> = new Map();

function survivorsOf({ lineage, surviving }: RunOrder, of: string, step: number): Announcement[] {
  return of === lineage ? surviving : surviving.filter((one) => one.step < step);
}

function refused(field: 'version' | 'lineage' | 'step', why: string): Placed {
  return { kind: 'refused', field, why };
}
