import { parseExact } from '../exact-json.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, countOrNull, idOrNull, objectAt, objectOrNull } from '../fields.ts';
import { jsonText, leftover } from '../json-text.ts';

/** One run of the agent: a whole `.traj`, or one of the attempts of an agent that tries several times. */
export interface SweRun {
  /** Of its fields: '' or `attempts[1].`. */
  readonly path: string;
  /** What its rollout's id has besides: '' or `/1`. */
  readonly suffix: string;
  readonly value: JsonObject;
  readonly trajectory: readonly JsonValue[];
  readonly history: readonly JsonValue[];
  readonly info: JsonObject;
  /** Read where it is JSON in a string; {} where it is none. */
  readonly config: JsonObject;
  /** Of the document, where this is the attempt that was chosen. */
  readonly chosen: JsonObject | undefined;
}

/** The runs of a document. An agent that tries several times keeps each try, and beside them the one it chose, once more. */
export function sweRuns(document: JsonObject): SweRun[] {
  const { attempts, ...top } = document;
  const list = arrayOrNull(attempts, 'attempts') ?? [];
  if (list.length === 0) return [runOf(document, '', '', undefined)];
  const info = isObject(top.info) ? top.info : {};
  const best = countOrNull(info.best_attempt_idx);
  const tried = list.map((attempt, i) => objectAt(attempt, `attempts[${i}]`));
  const chosen = best === null ? undefined : tried[best];
  const isCopy = chosen !== undefined && withoutInfo(top) === withoutInfo(chosen);
  const runs = tried.map((attempt, i) => {
    return runOf(attempt, `attempts[${i}].`, `/${i}`, isCopy && i === best ? info : undefined);
  });
  if (isCopy || top.trajectory === undefined) return runs;
  return [...runs, runOf(top, '', '/chosen', undefined)];
}

function withoutInfo(run: JsonObject): string {
  return jsonText(leftover(run, ['info']) ?? {});
}

function runOf(value: JsonObject, path: string, suffix: string, chosen: JsonObject | undefined): SweRun {
  return {
    path,
    suffix,
    value,
    trajectory: arrayAt(value.trajectory, `${path}trajectory`),
    history: arrayOrNull(value.history, `${path}history`) ?? [],
    info: objectOrNull(value.info, `${path}info`) ?? {},
    config: configOf(value.replay_config),
    chosen,
  };
}

/** Newer versions write it as JSON in a string. */
function configOf(value: JsonValue | undefined): JsonObject {
  if (isObject(value)) return value;
  const parsed = typeof value === 'string' ? parseExact(value) : null;
  return parsed?.kind === 'json' && isObject(parsed.value) ? parsed.value : {};
}

/** The problem that the agent was given, if the configuration says. */
export function sweTask({ config, path }: SweRun): { readonly id: string | null; readonly text: string | null } {
  const problem = isObject(config.problem_statement) ? config.problem_statement : {};
  const { text } = problem;
  return {
    id: idOrNull(problem.id, `${path}replay_config.problem_statement.id`),
    text: typeof text === 'string' ? text : null,
  };
}

/** Settings of the model and of the tools, as far as the configuration says them. */
export function sweSettings(config: JsonObject): { readonly model: JsonObject; readonly parser: string | null } {
  const agent = isObject(config.agent) ? config.agent : {};
  const tools = isObject(agent.tools) ? agent.tools : {};
  const parse = isObject(tools.parse_function) ? tools.parse_function.type : null;
  return { model: isObject(agent.model) ? agent.model : {}, parser: typeof parse === 'string' ? parse : null };
}
