import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import {
  arrayAt,
  arrayOrNull,
  booleanOr,
  idOrNull,
  objectAt,
  objectOrNull,
  Refused,
  shown,
  textOrNull,
} from '../fields.ts';

/** One line of results.jsonl, whichever of its three shapes it has. Paths are kept for messages. */
export interface StrandsRecord {
  readonly shape: 'current' | 'released' | 'legacy';
  readonly taskId: string | null;
  readonly promptId: string | null;
  readonly taskMessage: JsonValue;
  readonly history: readonly JsonValue[];
  /** What the source says about the task besides (ground truth and the like). */
  readonly taskMetadata: JsonObject;
  readonly messages: readonly JsonValue[];
  readonly messagesPath: string;
  readonly tokens: StrandsTokens | null;
  readonly metrics: JsonObject | null;
  readonly reward: JsonValue | undefined;
  readonly rewardPath: string;
  readonly reason: string;
  readonly aborted: boolean;
  /** What no field above holds, by where it stood. */
  readonly rest: Readonly<Record<string, JsonValue | undefined>>;
}

export interface StrandsTokens {
  readonly path: string;
  readonly value: JsonObject;
  /** Experts of the whole rollout (legacy); those of current lines are in `value`. */
  readonly routedExperts: JsonValue | undefined;
}

export function strandsRecord(line: JsonObject): StrandsRecord {
  return line.task === undefined && line.action !== undefined ? legacy(line) : current(line);
}

function current(line: JsonObject): StrandsRecord {
  const { task, result, aborted, prompt_id, ...lineRest } = line;
  const { id, message, context, conversation_history, ...taskRest } = objectAt(task, 'task');
  const fields = objectAt(result, 'result');
  const { messages, rollout, metrics, reward_result, termination_reason, ...resultRest } = fields;
  const released = isObject(context);
  const { conversation_history: contextHistory, ...contextRest } = released ? context : {};
  const tokens = objectOrNull(rollout, 'result.rollout');
  return {
    shape: released ? 'released' : 'current',
    taskId: idOrNull(id, 'task.id'),
    promptId: idOrNull(prompt_id, 'prompt_id'),
    taskMessage: message ?? null,
    history: arrayOrNull(conversation_history ?? contextHistory, 'task.conversation_history') ?? [],
    taskMetadata: metadataOf(contextRest, taskRest, released ? undefined : context),
    messages: arrayAt(messages, 'result.messages'),
    messagesPath: 'result.messages',
    tokens: tokens && { path: 'result.rollout', value: tokens, routedExperts: undefined },
    metrics: objectOrNull(metrics, 'result.metrics'),
    reward: reward_result,
    rewardPath: 'result.reward_result',
    reason: reasonAt(termination_reason, 'result.termination_reason'),
    aborted: booleanOr(aborted, 'aborted', false),
    rest: { ...lineRest, result: notEmpty(resultRest) },
  };
}

function legacy(line: JsonObject): StrandsRecord {
  const { action, step_result, aborted, prompt_id, ...lineRest } = line;
  const { message, task_context, ...actionRest } = objectAt(action, 'action');
  const { id, conversation_history, ...contextRest } = objectOrNull(task_context, 'action.task_context') ?? {};
  const { observation, reward, termination_reason, ...resultRest } = objectAt(step_result, 'step_result');
  const path = 'step_result.observation';
  const { messages, tokens, metrics, routed_experts, ...observationRest } = objectAt(observation, path);
  const value = objectOrNull(tokens, `${path}.tokens`);
  return {
    shape: 'legacy',
    taskId: idOrNull(id, 'action.task_context.id'),
    promptId: idOrNull(prompt_id, 'prompt_id'),
    taskMessage: message ?? null,
    history: arrayOrNull(conversation_history, 'action.task_context.conversation_history') ?? [],
    taskMetadata: contextRest,
    messages: arrayAt(messages, `${path}.messages`),
    messagesPath: `${path}.messages`,
    tokens: value && { path: `${path}.tokens`, value, routedExperts: routed_experts ?? undefined },
    metrics: objectOrNull(metrics, `${path}.metrics`),
    reward,
    rewardPath: 'step_result.reward',
    reason: reasonAt(termination_reason, 'step_result.termination_reason'),
    aborted: booleanOr(aborted, 'aborted', false),
    rest: {
      ...lineRest,
      action: notEmpty(actionRest),
      step_result: notEmpty(resultRest),
      observation: notEmpty(observationRest),
      routed_experts: value ? undefined : (routed_experts ?? undefined),
    },
  };
}

/** An absent reason is empty, which no taxonomy maps: unknown, and never the nearest. */
function reasonAt(value: JsonValue | undefined, field: string): string {
  if (value === undefined) throw new Refused(field, 'a termination reason', shown(value));
  return textOrNull(value, field) ?? '';
}

function metadataOf(context: JsonObject, task: JsonObject, oddContext: JsonValue | undefined): JsonObject {
  const both = { ...context, ...task };
  // A key that stands in both places would lose one of them: then the context stays whole beside it.
  if (Object.keys(context).some((key) => Object.hasOwn(task, key))) return { ...task, context };
  return oddContext === undefined ? both : { ...both, context: oddContext };
}

function notEmpty(rest: JsonObject): JsonObject | undefined {
  return Object.keys(rest).length > 0 ? rest : undefined;
}
