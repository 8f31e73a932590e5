import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { type AttemptIdentity, createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonObject } from '../exact-number.ts';
import { booleanOr, objectOrNull, Refused, shown } from '../fields.ts';
import { type ImportContext, type Importer, oddities, type ParsedLine, refusable } from '../importer.ts';
import { jsonText } from '../json-text.ts';
import { SYSTEM } from './verifiers-end.ts';
import { failureOf } from './verifiers-v1-calls.ts';
import { type Episode, episodeOf, idUnlessEmpty, nameIn } from './verifiers-v1-episode.ts';
import { addTraceEvents } from './verifiers-v1-trace.ts';
import { SCORER } from './verifiers-verdict.ts';

const FORMAT = 'verifiers-v1';
const VERSION = 1;
/** Name of the one agent of an environment that has no other. */
const ONLY_AGENT = 'agent';

/** `traces.jsonl` of verifiers 1 and prime-rl: an episode a line, with a trace of each of its agents. */
export const verifiersV1: Importer = {
  name: FORMAT,

  detect(first) {
    if (first.some(({ traces, task }) => Array.isArray(traces) && isObject(task))) {
      return { score: 0.95, why: 'lines with task and traces, as verifiers 1 writes episodes' };
    }
    return first.some(({ nodes, agent, task }) => Array.isArray(nodes) && isObject(agent) && isObject(task))
      ? { score: 0.9, why: 'lines with task, agent and nodes: traces of verifiers 1' }
      : null;
  },

  open(context) {
    const lineId = createLineIds();
    return {
      take(line) {
        const id = lineId(line.sha256);
        return refusable(() => {
          const episode = episodeOf(line.value);
          if (episode.traces.length === 0) return eventsWithoutTrace(context, line, episode, id);
          const isBare = line.value.traces === undefined;
          return episode.traces.flatMap((trace, i) => {
            const place = { path: isBare ? 'trace' : `traces[${i}]`, id: `${id}/${i}` };
            return eventsOfTrace(context, line, episode, trace, place);
          });
        });
      },
    };
  },
};

/** Each agent has its own reason, its own rewards and its own tokens: a rollout each. */
function eventsOfTrace(
  context: ImportContext,
  line: ParsedLine,
  episode: Episode,
  trace: JsonObject,
  { path, id }: { readonly path: string; readonly id: string },
): readonly StepEventInit[] {
  if (trace.version !== undefined && trace.version !== VERSION)
    throw new Refused(`${path}.version`, String(VERSION), shown(trace.version));
  const agent = objectOrNull(trace.agent, `${path}.agent`) ?? {};
  const name = nameIn(agent, 'name') ?? ONLY_AGENT;
  const isTrained = booleanOr(agent.trainable, `${path}.agent.trainable`, true);
  const rolloutId = idUnlessEmpty(trace.id, `${path}.id`) ?? id;
  const task = objectOrNull(trace.task, `${path}.task`) ?? episode.task;
  const identity = identityOf(context, episode, task, rolloutId, { name, isTrained });
  const { verifiers } = trace;
  const version = (isObject(verifiers) ? nameIn(verifiers, 'version') : null) ?? String(VERSION);
  const out = createAttemptEvents(identity, { format: FORMAT, version, location: line.location }, line.sha256);
  // The task that the environment was given may be another one than an agent was.
  const isSameTask = episode.rest === undefined || jsonText(episode.task) === jsonText(task);
  const extra = isSameTask ? episode.rest : { ...episode.rest, task: episode.task };
  const facts = { extra, error: episode.error, version: isTrained ? episode.version : null };
  addTraceEvents(out, trace, path, line.location, facts, oddities(line));
  return out.list;
}

/** The environment failed before it had an agent: a rollout that was started, and why nothing came of it. */
function eventsWithoutTrace(
  context: ImportContext,
  line: ParsedLine,
  episode: Episode,
  id: string,
): readonly StepEventInit[] {
  const { task, error, rest } = episode;
  const identity = identityOf(context, episode, task, episode.id ?? id, { name: ONLY_AGENT, isTrained: true });
  const source = { format: FORMAT, version: String(VERSION), location: line.location };
  const out = createAttemptEvents(identity, source, line.sha256);
  const { data, ...about } = task;
  const prompt = isObject(data) && typeof data.prompt === 'string' ? bytesOfText(data.prompt) : null;
  const task_metadata_json = data === undefined ? null : jsonText(data);
  out.add('start', { start: { prompt, task_metadata_json } }, { ...oddities(line), task: about, episode: rest });
  const failure = error === null ? null : failureOf(error, 'errors');
  const reason = { raw: failure?.type ?? '', system: SYSTEM, detail: failure?.message ?? null };
  out.add('end', { end: { reasons: [reason], exception: failure } });
  out.addAfterEnd('verdict', { verdict: { scorer: SCORER, status: 'not_run' } });
  return out.list;
}

interface AgentFacts {
  readonly name: string;
  /** Its tokens are the policy's. */
  readonly isTrained: boolean;
}

/** Rewards of different agents are no group's: where an environment has several, each has a group of its own. */
function identityOf(
  context: ImportContext,
  { env, groupId, id, purpose }: Episode,
  task: JsonObject,
  rolloutId: string,
  { name, isTrained }: AgentFacts,
): AttemptIdentity {
  const group = groupId === null || name === ONLY_AGENT ? groupId : `${groupId}/${name}`;
  const said = context.overrides.purpose === undefined ? purpose : null;
  const meant = { ...context, purpose: isTrained ? (said ?? context.purpose) : ('eval' as const) };
  const taskId = taskIdOf(task) ?? id;
  return attemptIdentity(meant, { rolloutId, taskId, envName: env ?? FORMAT, groupId: group });
}

/** The task's own key, else the hash of its data, else what the data is called. */
function taskIdOf(task: JsonObject): string | null {
  const named = idUnlessEmpty(task.key, 'task.key') ?? idUnlessEmpty(task.hash, 'task.hash');
  if (named !== null || !isObject(task.data)) return named;
  const { id, idx } = task.data;
  return idUnlessEmpty(id, 'task.data.id') ?? idUnlessEmpty(idx, 'task.data.idx');
}
