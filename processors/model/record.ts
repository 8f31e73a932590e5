import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { Cause } from './attempt.ts';

/** A record of rollout.steps as the log gives it. */
export interface InRecord {
  readonly partition: number;
  readonly offset: number;
  /** Append time, ms since the epoch. */
  readonly timestampMs: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A sound event and where it was. */
export interface Decoded {
  readonly unit: string;
  readonly event: StepEvent;
  readonly cause: Cause;
}
