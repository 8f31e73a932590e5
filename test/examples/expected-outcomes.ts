import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/config/package-file.ts';

export const ROLLOUTS = packageFile('examples', 'rollouts');

export interface Outcome {
  readonly disposition: string;
  /** The reason that accounting counts. */
  readonly why: string;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
}
/** By `run rollout attempt`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

interface Change {
  readonly attempts: readonly string[];
  readonly because: string;
  readonly changed_by: readonly string[];
  /** null: it is not decided at all. */
  readonly outcome: Partial<Outcome> | null;
}

const changes: Record<string, readonly Change[]> = JSON.parse(
  readFileSync(packageFile('examples', 'expected-by-policy.json'), 'utf8'),
);
export const changesOf = (name: string): readonly Change[] => changes[name] ?? [];

export const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(9)));

/** Of every attempt, by `run rollout attempt`: as by default, and what the policy changes. */
export function expectedUnder(name: string): Outcomes {
  const expected = new Map<string, Outcome>();
  for (const run of readdirSync(ROLLOUTS)) {
    const {
      rollouts,
    }: { rollouts: readonly (Omit<Outcome, 'in_baseline'> & { rollout_id: string; attempt: number })[] } = JSON.parse(
      readFileSync(join(ROLLOUTS, run, 'expected.json'), 'utf8'),
    );
    for (const { rollout_id, attempt, disposition, why, reward, advantage, in_loss } of rollouts)
      expected.set(`${run} ${rollout_id} ${attempt}`, {
        ...{ disposition, why, reward, advantage: rounded(advantage), in_loss },
        // By default the baseline is what goes to the trainer, with a loss or without.
        in_baseline: ['train', 'train_masked', 'penalise'].includes(disposition),
      });
  }
  for (const { attempts, outcome } of changesOf(name))
    for (const attempt of attempts) {
      const before = expected.get(attempt);
      if (before === undefined) throw new Error(`no example is ${attempt}`);
      if (outcome === null) {
        expected.delete(attempt);
        continue;
      }
      const after = { ...before, ...outcome };
      expected.set(attempt, { ...after, advantage: rounded(after.advantage) });
    }
  return expected;
}
