import type { ChangedAttempt, DecidedAs, DiffTally } from '../../../../processors/replay/diff-tally.ts';
import { NO_CHANGES } from '../../../../processors/replay/merge-tallies.ts';
import type { ReplayReport, ReplayStatus } from '../../../../src/rescore/replays.ts';

export function sampleStatus(init: Partial<ReplayStatus> = {}): ReplayStatus {
  return {
    ...{ replay_id: 'r-1', label: '', state: 'done', interrupted: false, error: null, saved: true },
    ...{ chunks: 1, chunks_done: 1, units: 5, units_done: 5, attempts: 40, changed: 0, emitted: 0 },
    ...{ started_at: '2026-01-02T03:04:05.000Z', ended_at: '2026-01-02T03:04:07.000Z', rate: 20, eta_s: 0 },
    ...init,
  };
}

export function sampleReport(
  diff: Partial<DiffTally> = {},
  status: Partial<ReplayStatus> = {},
  init: Partial<ReplayReport> = {},
): ReplayReport {
  return {
    status: sampleStatus(status),
    ...{ policy_id: null, taxonomy_id: null, against: '', refused: [], emitted: null },
    diff: { ...NO_CHANGES, attempts: 40, same: 40, ...diff },
    ...init,
  };
}

export function decidedAs(init: Partial<DecidedAs> = {}): DecidedAs {
  return {
    ...{ reason_code: 'task_complete', category: 'completion', disposition: 'train', why: 'task_complete' },
    ...{ reward: 1, advantage: null },
    ...init,
  };
}

export function changedAttempt(rollout_id: string, init: Partial<ChangedAttempt> = {}): ChangedAttempt {
  const unit = `run/0/r/${rollout_id}`;
  return { unit, rollout_id, attempt: 0, before: decidedAs(), after: decidedAs({ reward: 0 }), refused: '', ...init };
}

/** A repaired verifier: two rewards become null or 1, a group moves, one attempt vanishes. */
export function repairedReport(): ReplayReport {
  const diff: Partial<DiffTally> = {
    ...{ attempts: 40, same: 37, changed: 3, vanished: 1 },
    reasons: [{ from: 'task_complete', to: 'task_complete', n: 40, examples: [] }],
    dispositions: [
      { from: 'train', to: 'train', n: 38, examples: [] },
      { from: 'train', to: 'drop', n: 2, examples: ['gsm-7', 'gsm-9'] },
    ],
    rewards: {
      matrix: [
        { from: '1', to: '1', n: 36, examples: [] },
        { from: '0', to: '1', n: 2, examples: ['gsm-1', 'gsm-2'] },
        { from: 'null', to: '0', n: 1, examples: ['gsm-3'] },
      ],
      ...{ other: 1, changed: 3, both: 39, sum_before: 19.5, sum_after: 29.25, sign_flips: 2 },
    },
    advantages: {
      ...{ groups_moved: 2, attempts_moved: 8, largest: 1.5 },
      examples: [{ unit: 'run/0/g/g1', before: -0.75, after: 0.75 }],
    },
    examples: [
      changedAttempt('gsm-1', {
        before: decidedAs({ reward: 0, advantage: -0.75 }),
        after: decidedAs({ advantage: 0.75 }),
      }),
      changedAttempt('gsm-3', { attempt: 2, before: decidedAs({ reward: null }), after: decidedAs({ reward: 0 }) }),
      changedAttempt('gsm-4', { after: null, refused: 'already_decided' }),
    ],
  };
  return sampleReport(
    diff,
    { label: 'repaired', changed: 3, emitted: 12 },
    {
      policy_id: '0123456789abcdef',
      against: 'r-0',
      refused: [
        { reason: 'open', detail: 'an attempt is not decided', n: 7, rollouts: ['a', 'b', 'c', 'd', 'e', 'f'] },
      ],
      emitted: { topic: 'trajectories.ready', units: 3, trajectories: 12, left_out: { stale: 2, already_trained: 5 } },
    },
  );
}
