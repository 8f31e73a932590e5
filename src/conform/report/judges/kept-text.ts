import type { RecordedCall } from '../recorded-rollout.ts';

/** A record may end otherwise than the engine did, and still keep what the engine said. */
export function keptText(recorded: RecordedCall | null): string {
  const reason = recorded?.finishReason ?? null;
  return reason === null ? '' : `, though its call keeps the finish reason ${reason}`;
}
