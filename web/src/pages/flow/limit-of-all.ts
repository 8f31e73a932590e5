import { count } from '../../parts/format.ts';
import { type Facts, type Limit, limitOf, ofPipeline } from './limit.ts';

/** What limits several runs: what stands in the way of all, else how many are at work. */
export function limitOfAll(runs: readonly Facts[]): Limit {
  const [first] = runs;
  if (first === undefined) return { by: 'nothing', sentence: 'No rollout has started yet.' };
  if (runs.length === 1) return limitOf(first);
  const ofAll = ofPipeline(first.status);
  if (ofAll !== null) return ofAll;
  const atWork = runs
    .map((facts) => ({ facts, limit: limitOf(facts) }))
    .filter(({ facts, limit }) => limit.by !== 'nothing' || facts.books.open > 0);
  const [only] = atWork;
  if (only === undefined) return { by: 'nothing', sentence: allDecided(runs) };
  if (atWork.length === 1)
    return {
      by: only.limit.by,
      sentence: `One of ${count(runs.length)} runs is at work, ${only.facts.books.run_id}. ${only.limit.sentence}`,
    };
  const kinds = new Set(atWork.map(({ limit }) => limit.by));
  return {
    by: kinds.size === 1 ? only.limit.by : 'unknown',
    sentence: `${count(atWork.length)} of ${count(runs.length)} runs are at work; what limits each stands beside it below.`,
  };
}

function allDecided(runs: readonly Facts[]): string {
  const total = (of: (facts: Facts) => number): number => runs.reduce((sum, facts) => sum + of(facts), 0);
  const started = total(({ books }) => books.started);
  const queued = total(({ books }) => books.ready_states.queued);
  const waiting = queued === 0 ? 'nothing waits for a trainer' : `${count(queued)} are queued for a trainer`;
  return `Nothing runs: all ${count(started)} attempts of ${count(runs.length)} runs are decided, and ${waiting}.`;
}
