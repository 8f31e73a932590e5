import type { Random } from '../../examples/generate/random.ts';

/** Something that goes wrong, after `afterMs` of peace, for `forMs`. */
export type Fault =
  | { readonly kind: 'kill'; readonly afterMs: number; readonly worker: number }
  | { readonly kind: 'stop'; readonly afterMs: number; readonly worker: number; readonly forMs: number }
  | { readonly kind: 'broker'; readonly afterMs: number; readonly hard: boolean; readonly forMs: number }
  | { readonly kind: 'registry' | 'front'; readonly afterMs: number; readonly forMs: number };

/** Longer than a member of the group may be silent (10 s). */
const STOPPED_MS = 13_000;
const KINDS = ['stop', 'front', 'broker', 'registry'] as const;

/** So many kills of workers; after every third, or so often that each comes once, one of the other faults in turn. */
export function planFaults(random: Random, kills: number, workers: number): Fault[] {
  const between = (from: number, to: number): number => Math.round(from + random() * (to - from));
  const pick = (): number => Math.floor(random() * workers);
  const every = Math.max(1, Math.min(3, Math.floor(kills / KINDS.length)));
  const faults: Fault[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    faults.push({ kind: 'kill', afterMs: between(200, 4_000), worker: pick() });
    if (kill % every !== 0) continue;
    const afterMs = between(200, 2_000);
    const kind = KINDS[(kill / every - 1) % KINDS.length] ?? 'stop';
    const forMs = between(1_000, 8_000);
    if (kind === 'stop') faults.push({ kind, afterMs, worker: pick(), forMs: STOPPED_MS });
    else if (kind === 'broker') faults.push({ kind, afterMs, hard: random() < 0.5, forMs: 0 });
    else faults.push({ kind, afterMs, forMs });
  }
  return faults;
}
