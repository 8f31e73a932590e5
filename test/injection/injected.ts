import type { Audited } from './audited-lane.ts';
import type { Injected, Want } from './faults/fault.ts';
import { placesOf, type Rollout } from './rollout.ts';

/** Where what was sampled is no encoder's: natural, reported, and nobody's fault. */
export function naturalIn({ turns }: Rollout, unmeasured: readonly number[] = []): string[] {
  const places = placesOf(turns);
  return turns.flatMap(({ drift }, turn) => {
    const start = places[turn]?.sampledStart ?? 0;
    if (drift === null || unmeasured.includes(turn)) return [];
    return [keyOf({ audit: 'reencode', class: drift.class, turn, index: start + drift.index })];
  });
}

/** How what was said is not what should have been; empty: in nothing. */
export function disagreement(rollout: Rollout, injected: Injected, audited: Audited | undefined): string[] {
  if (audited === undefined) return ['it was not audited'];
  const wanted = new Set([
    ...naturalIn(rollout, injected.unmeasured),
    ...injected.found.map(keyOf),
    ...(injected.follows ?? []).map(keyOf),
  ]);
  const said = new Set(audited.findings.map(keyOf));
  const problems = [...wanted].filter((key) => !said.has(key)).map((key) => `not found: ${key}`);
  for (const { when: _, ...may } of injected.may ?? []) wanted.add(keyOf(may));
  for (const finding of audited.findings)
    if (!wanted.has(keyOf(finding)))
      problems.push(`not injected: ${keyOf(finding)} (${finding.severity}): ${finding.detail}`);
  for (const [audit, result] of audited.results) {
    const named = injected.results?.[audit];
    const hasFindings = audited.findings.some((finding) => finding.audit === audit);
    const isRight =
      named === undefined
        ? hasFindings
          ? result === 'fail' || result === 'warn'
          : result === 'pass'
        : result === named;
    if (!isRight) problems.push(`${audit} is ${result}: ${audited.missing.get(audit) ?? ''}`);
  }
  return problems;
}

function keyOf({ audit, class: name, turn, index }: Want): string {
  return `${audit} ${name} ${turn} ${index}`;
}
