import type { Finding } from '../../model/audit-summary.ts';
import type { Condition } from '../../model/policy.ts';

/** An audit found one of these classes. What no audit has looked for is not found. */
export function holdsOfFindings(
  { finding }: Condition,
  findings: ReadonlyArray<Pick<Finding, 'class'>> | null,
): boolean {
  if (finding === undefined) return true;
  return findings?.some((found) => finding.includes(found.class)) ?? false;
}
