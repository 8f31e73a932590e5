import { SCENARIOS } from './scenarios/scenarios.ts';
import { taskOf } from './scenarios/task.ts';
import { TOOLS } from './scenarios/tools.ts';

/** A task as an agent harness takes it. */
export interface TaskLine {
  readonly task_id: string;
  readonly scenario: string;
  readonly prompt: string;
  readonly tools: typeof TOOLS;
}

/** Tasks of scenarios, in turn, so many of each. */
export function taskLines(seed: number, scenarios: readonly string[], perScenario: number): TaskLine[] {
  return scenarios
    .filter((name) => SCENARIOS.has(name))
    .flatMap((scenario) =>
      Array.from({ length: perScenario }, (_, number) => ({
        task_id: `${scenario}#${number}`,
        scenario,
        prompt: taskOf(seed, scenario, number).prompt,
        tools: TOOLS,
      })),
    );
}
