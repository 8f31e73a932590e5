import type { DecisionRow } from '../../../processors/model/effects.ts';
import type { ComparedDecision, Vanished } from '../../../processors/model/replay.ts';
import type { DiffCell, DiffTally } from '../../../processors/replay/diff-tally.ts';

/** A unit before and after, as a tally is given it. */
export interface UnitChange {
  readonly unit: string;
  readonly before: readonly ComparedDecision[];
  readonly after: readonly DecisionRow[];
  readonly vanished: readonly Vanished[];
}

type Side = Pick<ComparedDecision, 'rollout_id' | 'attempt' | 'reward' | 'reward_valid'>;

/** What a tally has to say, from lists of everything: nothing is bounded, nothing is counted on the way. */
export function naiveTally(units: readonly UnitChange[]): DiffTally {
  const pairs = units.flatMap(({ unit, before, after }) =>
    before.flatMap((old) => after.filter((now) => isSameAttempt(old, now)).map((now) => ({ unit, old, now }))),
  );
  const gone = units.flatMap(({ unit, before, after, vanished }) =>
    before
      .filter((old) => !after.some((now) => isSameAttempt(old, now)))
      .map((old) => ({ unit, old, why: vanished.find((v) => v.rolloutId === old.rollout_id)?.reason ?? 'unknown' })),
  );
  const fresh = units.flatMap(({ unit, before, after }) =>
    after.filter((now) => !before.some((old) => isSameAttempt(old, now))).map((now) => ({ unit, now })),
  );
  const moved = pairs.filter(({ old, now }) =>
    old.advantage === null || now.advantage === null
      ? old.advantage !== now.advantage
      : Math.abs(old.advantage - now.advantage) > 1e-9,
  );
  const changed = pairs.filter(
    (pair) =>
      moved.includes(pair) ||
      rewardOf(pair.old) !== rewardOf(pair.now) ||
      pair.old.reason_code !== pair.now.reason_code ||
      pair.old.category !== pair.now.category ||
      pair.old.disposition !== pair.now.disposition,
  );
  const valid = pairs.flatMap(({ old, now }) => {
    const [from, to] = [rewardOf(old), rewardOf(now)];
    return from === null || to === null ? [] : [{ from, to }];
  });
  const cells = (of: (side: ComparedDecision | DecisionRow) => string) =>
    cellsOf(pairs.map(({ old, now }) => [of(old), of(now), now.rollout_id]));
  return {
    ...{ attempts: pairs.length, same: pairs.length - changed.length, changed: changed.length },
    ...{ vanished: gone.length, appeared: fresh.length },
    ...{ reasons: cells((side) => side.reason_code), categories: cells((side) => side.category) },
    dispositions: cells((side) => side.disposition),
    rewards: {
      ...{ matrix: cells((side) => String(rewardOf(side))), other: 0, both: valid.length },
      changed: pairs.filter(({ old, now }) => rewardOf(old) !== rewardOf(now)).length,
      sum_before: valid.reduce((sum, { from }) => sum + from, 0),
      sum_after: valid.reduce((sum, { to }) => sum + to, 0),
      sign_flips: valid.filter(({ from, to }) => Math.sign(from) !== Math.sign(to)).length,
    },
    advantages: advantagesOf(moved),
    examples: [
      ...changed.map(({ unit, old, now }) => ({ unit, old, now, refused: '' })),
      ...gone.map(({ unit, old, why }) => ({ unit, old, now: null, refused: why })),
      ...fresh.map(({ unit, now }) => ({ unit, old: null, now, refused: '' })),
    ]
      .map(({ unit, old, now, refused }) => ({
        ...{ unit, rollout_id: (old ?? now)?.rollout_id ?? '', attempt: (old ?? now)?.attempt ?? -1, refused },
        ...{ before: shown(old), after: shown(now) },
      }))
      .sort((a, b) => order(a.unit, b.unit) || order(a.rollout_id, b.rollout_id) || a.attempt - b.attempt),
  };
}

function advantagesOf(moved: ReadonlyArray<{ unit: string; old: ComparedDecision; now: DecisionRow }>) {
  const groups = [...new Set(moved.map(({ unit }) => unit))];
  const far = moved.flatMap(({ unit, old, now }) =>
    old.advantage === null || now.advantage === null
      ? []
      : [{ unit, before: old.advantage, after: now.advantage, by: Math.abs(old.advantage - now.advantage) }],
  );
  far.sort((a, b) => b.by - a.by || order(a.unit, b.unit) || a.before - b.before || a.after - b.after);
  const worst = groups.flatMap((group) => far.find(({ unit }) => unit === group) ?? []);
  worst.sort((a, b) => b.by - a.by || order(a.unit, b.unit));
  return {
    ...{ groups_moved: groups.length, attempts_moved: moved.length, largest: Math.max(0, ...far.map(({ by }) => by)) },
    examples: worst.slice(0, 10).map(({ unit, before, after }) => ({ unit, before, after })),
  };
}

function cellsOf(pairs: ReadonlyArray<readonly [string, string, string]>): DiffCell[] {
  const kinds = [...new Set(pairs.map(([from, to]) => JSON.stringify([from, to])))];
  return kinds
    .map((kind) => {
      const [from, to]: [string, string] = JSON.parse(kind);
      const those = pairs.filter((pair) => pair[0] === from && pair[1] === to);
      const ids = from === to ? [] : [...new Set(those.map(([, , id]) => id))].sort().slice(0, 3);
      return { from, to, n: those.length, examples: ids };
    })
    .sort((a, b) => b.n - a.n || order(a.from, b.from) || order(a.to, b.to));
}

function shown(row: ComparedDecision | DecisionRow | null) {
  if (row === null) return null;
  const { reason_code, category, disposition, advantage } = row;
  return { reason_code, category, disposition, why: row.why.join(', '), reward: rewardOf(row), advantage };
}

const rewardOf = (side: Side): number | null => (side.reward_valid ? side.reward : null);
const isSameAttempt = (a: Side, b: Side) => a.rollout_id === b.rollout_id && a.attempt === b.attempt;
const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
