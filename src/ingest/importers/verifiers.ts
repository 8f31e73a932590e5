import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonObject } from '../exact-number.ts';
import { idOrNull, Refused, smallCountOrNull } from '../fields.ts';
import { type Importer, oddities, refusable } from '../importer.ts';
import { addVerifiersEvents } from './verifiers-events.ts';

const FORMAT = 'verifiers';
const METADATA = 'metadata.json';

/** `results.jsonl` of verifiers before its traces, with the `metadata.json` beside it. */
export const verifiers: Importer = {
  name: FORMAT,
  sidecars: [METADATA],

  detect(first) {
    if (first.some((line) => 'example_id' in line && hasConversation(line))) {
      return { score: 0.9, why: 'lines with example_id, prompt and completion, as verifiers writes its results' };
    }
    // Before 0.1.6 the key was `id`.
    return first.some((line) => 'id' in line && 'task' in line && 'reward' in line && hasConversation(line))
      ? { score: 0.8, why: 'lines with id, task, prompt, completion and reward, as verifiers wrote its first results' }
      : null;
  },

  open(context) {
    const metadata = context.sidecars[METADATA] ?? {};
    const lineId = createLineIds();
    const env = textIn(metadata, 'env_id') ?? textIn(metadata, 'env') ?? FORMAT;
    const perExample = smallCountOrNull(metadata.rollouts_per_example);
    const version = versionOf(metadata);
    /** Example ids begin anew in each file: its first row tells it from others of one run. */
    let fileMark: string | null = null;
    return {
      take(line) {
        const { value, sha256, location } = line;
        fileMark ??= sha256.slice(0, 8);
        const mark = fileMark;
        return refusable(() => {
          // Each version has the column: without it the row is of another format.
          if (value.completion === undefined) throw new Refused('completion', 'messages or a text', 'nothing');
          const id = lineId(sha256);
          const task = taskOf(value);
          // One rollout of an example is no group.
          const group = task === null || perExample === 1 ? null : `${task}@${mark}`;
          const identity = attemptIdentity(context, {
            rolloutId: task === null ? id : `${task}/${id.slice(0, 16)}${id.slice(64)}`,
            ...{ taskId: task ?? id, envName: env, groupId: group, groupSize: context.groupSize ?? perExample },
          });
          const out = createAttemptEvents(identity, { format: FORMAT, version, location }, sha256);
          addVerifiersEvents(out, value, metadata, oddities(line));
          return out.list;
        });
      },
    };
  },
};

/** Rows of several environments in one file count their examples each for itself, and name themselves in `task`. */
function taskOf(row: JsonObject): string | null {
  const example = idOrNull(row.example_id, 'example_id') ?? idOrNull(row.id, 'id');
  if (example === null) return null;
  const { task } = row;
  return typeof task === 'string' && task !== '' && task !== 'default' ? `${task}/${example}` : example;
}

function hasConversation({ prompt, completion }: JsonObject): boolean {
  return prompt !== undefined && completion !== undefined;
}

function versionOf({ version_info }: JsonObject): string {
  return (isObject(version_info) ? textIn(version_info, 'vf_version') : null) ?? '';
}

function textIn(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : null;
}
