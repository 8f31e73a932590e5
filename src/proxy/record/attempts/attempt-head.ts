import { hash } from 'node:crypto';
import type { AttemptIdentity } from '../../../ingest/attempt-events.ts';

/** What holds for all events of an attempt: the first line of its file. */
export interface AttemptHead {
  readonly identity: AttemptIdentity;
  /** Nobody named it: its calls were found to belong together by what they say. */
  readonly isInferred: boolean;
  /** The call that it began with. */
  readonly call: string;
  readonly startedAtUs: number;
}

export const ATTEMPT_SUFFIX = '.attempt';

/** Tells an attempt from all others, in a file's name too. */
export function attemptKey({ run_id, epoch, group_id, rollout_id, attempt }: AttemptIdentity): string {
  return hash('sha256', JSON.stringify([run_id, epoch, group_id, rollout_id, attempt])).slice(0, 32);
}
