import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonValue } from '../exact-number.ts';
import { idOrNull, objectOrNull, Refused, shown, textOrNull } from '../fields.ts';
import { type Importer, oddities, refusable } from '../importer.ts';
import { addNemoEvents } from './nemo-events.ts';

const FORMAT = 'nemo-gym';

/** Rollouts of NeMo Gym and the `_failures.jsonl` beside them, whose rows are attempts that failed. */
export const nemoGym: Importer = {
  name: FORMAT,

  detect(first) {
    if (first.some((line) => isObject(line.response) && Array.isArray(line.response.output) && 'reward' in line)) {
      return { score: 0.9, why: 'lines with response.output and reward, as NeMo Gym writes them' };
    }
    if (first.some((line) => '_ng_failure_class' in line)) {
      return { score: 0.9, why: 'lines with _ng_failure_class, the failures NeMo Gym keeps beside its rollouts' };
    }
    const hasParams = first.some((line) => isObject(line.responses_create_params) && isObject(line.response));
    return hasParams
      ? { score: 0.8, why: 'lines with responses_create_params and response, as NeMo Gym has them' }
      : null;
  },

  open(context) {
    const lineId = createLineIds();
    return {
      take(line) {
        const { value } = line;
        const isNumbered = value._ng_attempt_index !== undefined && value._ng_attempt_index !== null;
        if (context.rows !== 'all' && isNumbered !== (context.rows === 'numbered')) return { events: [] };
        return refusable(() => {
          const agent = textOrNull(objectOrNull(value.agent_ref, 'agent_ref')?.name, 'agent_ref.name');
          const task = idOrNull(value._ng_task_index, '_ng_task_index');
          const rollout = idOrNull(value._ng_rollout_index, '_ng_rollout_index');
          const group = task === null || rollout === null ? null : `${agent ?? FORMAT}/${task}`;
          const rolloutId = group === null ? lineId(line.sha256) : `${group}/${rollout}`;
          const identity = attemptIdentity(context, {
            ...{ rolloutId, taskId: group, envName: agent ?? FORMAT, groupId: group },
            attempt: attemptAt(value._ng_attempt_index),
          });
          const out = createAttemptEvents(identity, { format: FORMAT, location: line.location }, line.sha256);
          addNemoEvents(out, value, line.location, oddities(line));
          return out.list;
        });
      },
    };
  },
};

/** Some versions write it as a string. */
function attemptAt(value: JsonValue | undefined): number {
  const text = idOrNull(value, '_ng_attempt_index');
  if (text === null) return 0;
  if (!/^\d{1,9}$/.test(text)) throw new Refused('_ng_attempt_index', 'the number of an attempt', shown(value));
  return Number(text);
}
