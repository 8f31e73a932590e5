import type { ShippedQuery } from '../../api/named-queries.ts';

/** In the order that one looks for them. A query that no group names stands under the last one. */
const GROUPS: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['Flow and books', ['flow', 'accounting', 'admission', 'undelivered']],
  [
    'Failures and rewards',
    [
      'failures',
      'failure_share',
      'fault_owners',
      'worst_tasks',
      'task_difficulty',
      'reward_by',
      'timeouts',
      'contradictions',
      'unknown_reasons',
      'retries',
      'pass_at_k',
      'verifier_disagreement',
      'score_versions',
    ],
  ],
  ['Audits', ['audit_results', 'audit_offenders', 'drift_rates', 'repairs_by_tool', 'gate_window', 'train_match']],
  [
    'Wall clock',
    [
      'bottleneck',
      'blocking_layers',
      'best_concurrency',
      'phases',
      'phases_over_time',
      'slow_tools',
      'sandbox_times',
      'context_growth',
      'wall_gantt',
      'lifetime_wall',
    ],
  ],
  ['Groups', ['group_health', 'groups', 'group_members']],
  ['Training', ['trainer_feed', 'waits', 'staleness_at_train', 'fcfs_bias', 'blame_steps', 'blame_step', 'step_batch']],
];
const OTHERS = 'Others';

export interface QueryGroup {
  readonly title: string;
  readonly queries: readonly ShippedQuery[];
}

/** Those that hold each word of `search` in their name, title or question; groups without any are left out. */
export function groupedQueries(queries: readonly ShippedQuery[], search: string): QueryGroup[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = queries.filter(({ name, title, question }) => {
    const text = `${name} ${name.replaceAll('_', ' ')} ${title} ${question}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const named = new Set(GROUPS.flatMap(([, names]) => names));
  const groups = GROUPS.map(([title, names]) => ({
    title,
    queries: names.flatMap((name) => found.filter((query) => query.name === name)),
  }));
  const others = { title: OTHERS, queries: found.filter(({ name }) => !named.has(name)) };
  return [...groups, others].filter((group) => group.queries.length > 0);
}
