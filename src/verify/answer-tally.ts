import type { VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { RefusedRollouts } from '../rescore/replay-source.ts';
import type { AttemptJudged } from './attempt-input.ts';
import type { VerdictCounts, VerifierProgress } from './verdict-counts.ts';

/** Refusals that are told apart by their words, and rollouts that are named for each. */
const MOST_DETAILS = 50;
const MOST_NAMED = 100;

export interface Tally {
  count(judged: Pick<AttemptJudged, 'answer' | 'isCached' | 'refused'> & { readonly rolloutId: string }): void;
  counts(): VerdictCounts;
  progress(): VerifierProgress;
}

/** Counts what a verifier made of attempts. */
export function createTally(total: number | null, now: () => number): Tally {
  const began = now();
  const byStatus = new Map<VerdictStatus, number>();
  const refused = new Map<string, { reason: string; detail: string; n: number; rollouts: string[] }>();
  let done = 0;
  let cached = 0;
  let cost: number | null = null;

  function countRefused(rolloutId: string, reason: string, detail: string): void {
    const isKnown = refused.has(`${reason}\0${detail}`);
    const said = isKnown || refused.size < MOST_DETAILS ? detail : 'other reasons';
    const key = `${reason}\0${said}`;
    const group = refused.get(key) ?? { reason, detail: said, n: 0, rollouts: [] };
    refused.set(key, group);
    group.n += 1;
    if (group.rollouts.length < MOST_NAMED) group.rollouts.push(rolloutId);
  }

  function counts(): VerdictCounts {
    const groups: readonly RefusedRollouts[] = [...refused.values()].map((group) => ({
      ...group,
      rollouts: [...group.rollouts],
    }));
    const statuses = Object.fromEntries(byStatus);
    return { done, cached, byStatus: statuses, refused: groups, cost, seconds: (now() - began) / 1000 };
  }

  return {
    count({ rolloutId, answer, isCached, refused: why }) {
      done += 1;
      if (isCached) cached += 1;
      else if (answer.cost !== null) cost = (cost ?? 0) + answer.cost;
      byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1);
      if (answer.status !== 'refused') return;
      const reason = why === null ? 'verifier_refused' : 'observation_lost';
      countRefused(rolloutId, reason, answer.report ?? '');
    },
    counts,
    progress() {
      const so = counts();
      const etaS = total === null || done === 0 ? null : (Math.max(0, total - done) * so.seconds) / done;
      return { ...so, total, etaS };
    },
  };
}
