import type { Purpose } from '../../schemas/generated/step-event.ts';

/** An attempt that a verdict is about: all that an event about it has to say. */
export interface JudgedAttempt {
  readonly run_id: string;
  readonly purpose: Purpose;
  readonly env_name: string;
  readonly task_id: string;
  readonly epoch: number;
  readonly group_id: string | null;
  readonly group_size: number | null;
  /** The message key. */
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
}

/** What it is known by. */
export function attemptKeyOf({ run_id, unit, rollout_id, attempt }: Omit<AttemptKey, 'epoch'>): string {
  return JSON.stringify([run_id, unit, rollout_id, attempt]);
}

export type AttemptKey = Pick<JudgedAttempt, 'run_id' | 'epoch' | 'unit' | 'rollout_id' | 'attempt'>;
