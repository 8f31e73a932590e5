import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { leftover } from '../json-text.ts';
import { type NamedDocument, pathOfReference } from './atif-documents.ts';
import type { AtifRollout } from './atif-rollouts.ts';
import type { AtifSegment } from './atif-steps.ts';
import { createAtifTokens, isSameTokens, type RolloutDetails } from './atif-tokens.ts';

/** Hands out segments: one for the main agent, one for each sub-agent, in the order in which they first did something. */
export interface Segments {
  /** `calls`: how many it makes; the ids of a trial's conversation belong to it only where they are as many. */
  open(wanted: string, calls: number): AtifSegment;
}

export function createSegments(details: RolloutDetails): Segments {
  const taken = new Set<string>();
  return {
    open(wanted, calls) {
      const conversation = taken.size;
      let id = wanted;
      for (let n = 2; taken.has(id); n++) id = `${wanted}#${n}`;
      taken.add(id);
      const isPaired = calls > 0 && details.callsOf(conversation) === calls;
      let call = 0;
      let differ = false;
      return {
        id,
        pack: createAtifTokens(),
        askedBy: new Map(),
        detailOf(own) {
          if (!isPaired) return null;
          const arrays = details.arraysOf(conversation, call++);
          differ ||= own !== null && arrays !== null && !isSameTokens(own, arrays);
          // Told twice and not the same: the step's own count, and the others are kept.
          if (call === calls && !differ) details.use(conversation);
          return arrays;
        },
      };
    },
  };
}

/** Model calls that a document tells of: not those that it copied, nor steps that no model made. */
export function callsIn({ steps }: JsonObject): number {
  if (!Array.isArray(steps)) return 0;
  return steps.filter(
    (step) => isObject(step) && step.source === 'agent' && step.is_copied_context !== true && step.llm_call_count !== 0,
  ).length;
}

/** Name for the segment of a sub-agent: its own id, else its session's, else its file's. */
export function segmentName({ name, value }: NamedDocument): string {
  for (const id of [value.trajectory_id, value.session_id]) if (typeof id === 'string' && id !== '') return id;
  return name === '' ? 'subagent' : name;
}

/** What a document says of itself besides its steps and the documents within it. */
export function headerOf({ name, value }: NamedDocument): JsonObject {
  const header = leftover(value, ['steps', 'subagent_trajectories']) ?? {};
  // What is no document of a sub-agent is in no segment.
  const { subagent_trajectories: within } = value;
  const odd = Array.isArray(within) ? within.filter((item) => !isObject(item)) : [within ?? null];
  const isOdd = odd.some((item) => item !== null);
  return {
    ...header,
    ...(isOdd ? { subagent_trajectories: odd } : {}),
    ...(name === '' ? {} : { file: name }),
  };
}

/** The document of a sub-agent: within its parent's by trajectory or session id, else by its path. null: it is not there. */
export function documentOf(
  reference: JsonObject,
  from: NamedDocument,
  parents: readonly NamedDocument[],
  { named }: AtifRollout,
): NamedDocument | null {
  for (const key of ['trajectory_id', 'session_id']) {
    const id = reference[key];
    if (typeof id !== 'string') continue;
    for (const parent of [from, ...parents]) {
      const found = embeddedIn(parent).find(({ value }) => value[key] === id);
      if (found !== undefined) return found;
    }
  }
  const { trajectory_path: path } = reference;
  if (typeof path !== 'string' || path === '') return null;
  const name = pathOfReference(from.name.replace(/#subagent_trajectories\[.*$/, ''), path);
  const value = named.get(name);
  return value === undefined ? null : { name, value };
}

/** The document that a reference means, for people: its path as it would lie here, else its id. */
export function nameOfReference(reference: JsonObject, from: NamedDocument): string {
  const { trajectory_path: path, trajectory_id: trajectory, session_id: session } = reference;
  if (typeof path === 'string' && path !== '') return pathOfReference(from.name, path);
  return [trajectory, session].find((id) => typeof id === 'string') ?? 'a sub-agent without a name';
}

/** Documents that stand within one, each with a name of its own. */
export function embeddedIn({ name, value }: NamedDocument): NamedDocument[] {
  const list: readonly JsonValue[] = Array.isArray(value.subagent_trajectories) ? value.subagent_trajectories : [];
  return list.flatMap((item, i) =>
    isObject(item) ? [{ name: `${name}#subagent_trajectories[${i}]`, value: item }] : [],
  );
}
