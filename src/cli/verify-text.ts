import type { VerdictCounts } from '../verify/verdict-counts.ts';
import type { VerifierId } from '../verify/verifier-cache.ts';
import { visible } from './table.ts';

/** Rollouts that are named behind a refusal. */
const NAMED = 5;

/** What became of the attempts, for a person. */
export function verifyText({ scorer, version }: VerifierId, counts: VerdictCounts): string {
  const { done, cached, byStatus, refused, cost, seconds } = counts;
  const statuses = Object.entries(byStatus).map(([status, n]) => `${n} ${status}`);
  const spent = cost === null ? '' : `, cost ${cost}`;
  const sum = `${done} judged by ${scorer} ${version}${statuses.length === 0 ? '' : ` (${statuses.join(', ')})`}, ${cached} of them known before, ${seconds.toFixed(1)} s${spent}`;
  const refusals = refused.map(({ reason, detail, n, rollouts }) => {
    const named = rollouts.slice(0, NAMED).join(', ');
    return `  not judged: ${n} ${reason}${detail === '' ? '' : ` (${detail})`}: ${named}${n > NAMED ? ' …' : ''}`;
  });
  return [sum, ...refusals].map(visible).join('\n');
}

export function verifyJson({ scorer, version }: VerifierId, counts: VerdictCounts): string {
  const { byStatus, ...rest } = counts;
  return `${JSON.stringify({ scorer, version, by_status: byStatus, ...rest })}\n`;
}

/** Some attempts have no score: refused, or a fault of the verifier. */
export function isIncomplete({ byStatus }: VerdictCounts): boolean {
  return (['refused', 'crash', 'timeout', 'parse_error'] as const).some((status) => (byStatus[status] ?? 0) > 0);
}
