import type { TrainedRow } from '../../../src/blame/trained-row.ts';

/** A trajectory of step 4, of one unit of weight. */
export function trainedRow(init: Partial<TrainedRow> = {}): TrainedRow {
  return {
    ...{ run_id: 'run', step: 4, lineage: 0, unit: 'run/0/g/g', rollout_id: 'r', attempt: 0, replay_id: '' },
    ...{ env_name: 'env', task_id: 't', reason: 'task_complete', disposition: 'train', reward: 1, advantage: 0.5 },
    ...{ loss_tokens: 2, weight: 1, tokens: 9, lag: 0, classes: [], is_audited: true },
    ...init,
  };
}
