import { createHash } from 'node:crypto';
import type { VerifierInput } from './verifier.ts';

/** SHA-256, hex, of what a verifier may judge by: whose rollout it is and which attempt changes no answer, so the same content is asked once. */
export function contentHash(input: VerifierInput): string {
  const { run_id: _run, rollout_id: _rollout, attempt: _attempt, ...content } = input;
  return createHash('sha256').update(canonical(content)).digest('hex');
}

/** Keys in order, so that it does not matter how a task was written down. */
function canonical(content: object): string {
  return JSON.stringify(content, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
