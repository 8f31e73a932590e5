import type { Condition, RulePlace } from '../../model/policy.ts';

/** Whether what a condition says of code, category, system, environment and run holds at a place. */
export function holdsAt({ code, category, system, env, run }: Condition, place: RulePlace): boolean {
  return (
    (code?.includes(place.code) ?? true) &&
    (category?.includes(place.category) ?? true) &&
    (system?.includes(place.system) ?? true) &&
    (env?.includes(place.envName) ?? true) &&
    (run?.includes(place.runId) ?? true)
  );
}
