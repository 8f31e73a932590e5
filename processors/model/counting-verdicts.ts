import type { HeldVerdict } from './attempt.ts';
import { compareVersions } from './compare-versions.ts';

/** The verdicts that count: of one scorer about one turn (or the whole attempt) that of its highest version. The others stay in `verdicts`. */
export function countingVerdicts(verdicts: readonly HeldVerdict[]): readonly HeldVerdict[] {
  if (verdicts.length < 2) return verdicts;
  return verdicts.filter(
    (verdict) =>
      !verdicts.some(
        (other) =>
          other.scorer === verdict.scorer &&
          other.boundTo === verdict.boundTo &&
          compareVersions(other.scorerVersion, verdict.scorerVersion) > 0,
      ),
  );
}
