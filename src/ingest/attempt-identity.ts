import type { AttemptIdentity } from './attempt-events.ts';
import type { ImportContext } from './importer.ts';

/** How a source names an attempt. */
export interface SourceNames {
  readonly rolloutId: string;
  /** Absent or null: the problem is the rollout's own. */
  readonly taskId?: string | null;
  /** As the source says, else the name of the format. */
  readonly envName: string;
  /** Absent or null: it has no group. */
  readonly groupId?: string | null;
  /** Of a group. Absent: as the user says. */
  readonly groupSize?: number | null;
  readonly attempt?: number;
}

/** Who an attempt is: what its source says, and for the rest the import, by one rule for all formats. */
export function attemptIdentity(context: ImportContext, names: SourceNames): AttemptIdentity {
  const { rolloutId, taskId = null, envName, groupId = null, groupSize = context.groupSize, attempt = 0 } = names;
  return {
    run_id: context.runId,
    purpose: context.purpose,
    env_name: context.env ?? envName,
    task_id: taskId ?? rolloutId,
    epoch: context.epoch,
    group_id: groupId,
    group_size: groupId === null ? null : groupSize,
    rollout_id: rolloutId,
    attempt,
  };
}
