import type { Json } from '../python-json.ts';

/** A tool as it is offered to the model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: Json };
}

/** One problem given to the agent, in each of its rollouts. */
export interface Task {
  readonly id: string;
  readonly system: string;
  readonly prompt: string;
  readonly groundTruth: string;
  readonly tools: readonly ToolDefinition[];
}
