/** What the rollouts of an analytics run are like: environments, how loops end, tools. Weights are shares of attempts, before they are scaled to 1. */

export interface World {
  readonly name: string;
  /** Share of the tasks. */
  readonly share: number;
  readonly tools: readonly string[];
  /** Model calls of a rollout over those of the mean rollout. */
  readonly length: number;
  /** Median wall clock of a rollout, seconds. */
  readonly seconds: number;
  /** Faults of environment and infrastructure over those of the mean environment. */
  readonly faults: number;
  /** Shares of the wall clock: model, tool_wait, sandbox_setup, rate_limit, weight_sync, cpu; what is left is other. */
  readonly wall: readonly [number, number, number, number, number, number];
}

export const WORLDS: readonly World[] = [
  {
    name: 'swe',
    share: 0.3,
    tools: ['bash', 'edit', 'search'],
    length: 1.4,
    seconds: 240,
    faults: 1.5,
    wall: [0.4, 0.34, 0.14, 0.01, 0.03, 0.02],
  },
  {
    name: 'math',
    share: 0.3,
    tools: ['python'],
    length: 0.6,
    seconds: 40,
    faults: 0.4,
    wall: [0.82, 0.06, 0, 0.02, 0.05, 0.02],
  },
  {
    name: 'terminal',
    share: 0.2,
    tools: ['bash', 'tmux'],
    length: 1.2,
    seconds: 150,
    faults: 1.3,
    wall: [0.38, 0.4, 0.12, 0, 0.04, 0.02],
  },
  {
    name: 'browse',
    share: 0.12,
    tools: ['open', 'click', 'search'],
    length: 1,
    seconds: 120,
    faults: 1.2,
    wall: [0.35, 0.35, 0.04, 0.14, 0.04, 0.03],
  },
  {
    name: 'assistant',
    share: 0.08,
    tools: ['lookup', 'transfer'],
    length: 0.8,
    seconds: 60,
    faults: 0.8,
    wall: [0.7, 0.1, 0.02, 0.02, 0.06, 0.06],
  },
];

export interface Ending {
  readonly code: string;
  readonly category: string;
  /** As the loop said it, in the vocabulary of `system`. */
  readonly raw: string;
  readonly system: string;
  readonly disposition: 'train' | 'train_masked' | 'penalise' | 'retry' | 'quarantine' | 'drop' | 'superseded';
  /** What accounting counts. */
  readonly why: string;
  readonly weight: number;
}

const ended = (
  category: string,
  disposition: Ending['disposition'],
  ...endings: ReadonlyArray<readonly [code: string, weight: number, raw?: string, why?: string]>
): Ending[] =>
  endings.map(([code, weight, raw, why]) => {
    return {
      code,
      category,
      raw: raw ?? code,
      system: raw === undefined ? 'rollstream' : 'harness',
      disposition,
      why: why ?? code,
      weight,
    };
  });

/** In the order of the arrays that the statements look them up in. */
export const ENDINGS: readonly Ending[] = [
  ...ended('completion', 'train', ['task_complete', 46], ['submitted', 12], ['agent_stop', 2]),
  ...ended('budget', 'train', ['output_tokens', 7], ['context_overflow', 3.5], ['max_turns', 5]),
  ...ended('budget', 'train_masked', ['wall_clock', 2.5]),
  ...ended('policy_failure', 'penalise', ['format_errors', 2.5], ['stuck_loop', 1.2], ['gave_up', 0.8]),
  ...ended('env_fault', 'retry', ['env_crash', 1.6], ['tool_timeout', 2], ['out_of_memory', 0.7], ['env_setup', 0.5]),
  ...ended(
    'infra_fault',
    'retry',
    ['worker_lost', 1.2],
    ['rate_limited', 0.9],
    ['llm_error', 0.7],
    ['inference_abort', 0.4],
  ),
  ...ended('harness_fault', 'retry', ['harness_error', 0.5]),
  ...ended('verifier_fault', 'quarantine', ['verifier_timeout', 1.1], ['reward_missing', 0.6]),
  ...ended('cancelled', 'drop', ['operator', 0.4], ['group_closed', 0.4]),
  ...ended(
    'unknown',
    'quarantine',
    ['unknown', 0.7, 'aborted_by_scheduler'],
    ['unknown', 0.3, 'E_FINISH_77'],
    ['termination_conflict', 0.3],
  ),
  ...ended(
    'completion',
    'quarantine',
    ['task_complete', 0.6, 'done', 'silent_repair'],
    ['submitted', 0.3, 'submit', 'pipeline_drift'],
  ),
  ...ended(
    'completion',
    'quarantine',
    ['task_complete', 0.2, 'done', 'args_lost'],
    ['task_complete', 0.2, 'done', 'parser_loss'],
  ),
  ...ended('completion', 'quarantine', ['task_complete', 0.1, 'done', 'think_call_executed']),
  ...ended('completion', 'drop', ['task_complete', 0.6, 'done', 'stale']),
  ...ended('cancelled', 'superseded', ['superseded', 0.5, 'superseded', 'higher_attempt']),
];

const FAULTS = new Set(['env_fault', 'infra_fault', 'harness_fault']);

/** Upper bounds of [0, 1) for each ending, in one environment. */
export function boundsOf(world: World): number[] {
  const weights = ENDINGS.map(({ category, weight }) => (FAULTS.has(category) ? weight * world.faults : weight));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return sums(weights).map((sum) => sum / all);
}

/** Of each value the sum up to it, itself included. */
export function sums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** What an audit finds: class, severity, share of the attempts; 0: where the policy quarantined for it, and nowhere else. */
export interface Findings {
  readonly audit: string;
  readonly classes: ReadonlyArray<readonly [name: string, severity: 'fail' | 'warn', share: number]>;
  /** Share of the attempts that it could not look at, and what they lacked. */
  readonly blind: readonly [share: number, missing: string];
}

export const FINDINGS: readonly Findings[] = [
  {
    audit: 'tokens',
    classes: [
      ['pipeline_drift', 'fail', 0],
      ['bpe_split', 'warn', 0.01],
      ['usage_mismatch', 'warn', 0.01],
    ],
    blind: [0.08, 'token ids'],
  },
  {
    audit: 'template',
    classes: [
      ['end_of_turn_missing', 'warn', 0.012],
      ['think_stripped', 'warn', 0.008],
    ],
    blind: [0.1, 'a chat template'],
  },
  {
    audit: 'tools',
    classes: [
      ['silent_repair', 'fail', 0],
      ['args_lost', 'fail', 0],
      ['think_call_executed', 'fail', 0],
      ['parser_loss', 'fail', 0],
      ['malformed', 'warn', 0.02],
      ['coerced', 'warn', 0.01],
    ],
    blind: [0.05, 'raw completions'],
  },
  {
    audit: 'termination',
    classes: [
      ['unknown_reason', 'warn', 0.01],
      ['termination_conflict', 'warn', 0.004],
    ],
    blind: [0, ''],
  },
  {
    audit: 'numbers',
    classes: [
      ['logprob_support_mismatch', 'warn', 0.004],
      ['reward_not_finite', 'fail', 0.0005],
    ],
    blind: [0.02, 'logprobs'],
  },
  { audit: 'wall', classes: [['overlap', 'warn', 0.003]], blind: [0.01, 'times'] },
  {
    audit: 'reencode',
    classes: [
      ['normalizer', 'warn', 0.004],
      ['partial_utf8', 'warn', 0.006],
    ],
    blind: [0.4, 'deferred'],
  },
];
