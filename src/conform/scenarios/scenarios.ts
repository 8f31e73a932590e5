import { honest } from './honest.ts';
import type { Scenario } from './scenario.ts';

/** All that can be played, by name. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map([honest].map((scenario) => [scenario.name, scenario]));

/** Names of those that test a stack, in the order of a report. */
export const SCENARIO_NAMES: readonly string[] = [...SCENARIOS.values()]
  .filter(({ hidden }) => hidden !== true)
  .map(({ name }) => name);
