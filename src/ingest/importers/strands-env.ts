import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createAttemptNumbers, createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonObject } from '../exact-number.ts';
import { type Importer, oddities, refusable } from '../importer.ts';
import { addStrandsEvents } from './strands-events.ts';
import { strandsRecord } from './strands-record.ts';

const FORMAT = 'strands-env';

/** results.jsonl of strands-env: current, released and legacy lines, with and without tokens. */
export const strandsEnv: Importer = {
  name: FORMAT,

  detect(first) {
    const shape = first.map(shapeOf).find((found) => found !== null);
    return shape === undefined ? null : { score: 0.9, why: shape };
  },

  open(context) {
    const attempts = createAttemptNumbers();
    const lineId = createLineIds();
    return {
      take: (line) =>
        refusable(() => {
          const record = strandsRecord(line.value);
          const rolloutId = record.taskId ?? lineId(line.sha256);
          const group = record.taskId === null ? null : record.promptId;
          const identity = attemptIdentity(context, {
            ...{ rolloutId, taskId: record.promptId, envName: FORMAT, groupId: group },
            attempt: record.taskId === null ? 0 : attempts.of(rolloutId, line.sha256, record.aborted),
          });
          const source = { format: FORMAT, version: record.shape, location: line.location };
          const out = createAttemptEvents(identity, source, line.sha256);
          addStrandsEvents(out, record, line.location, oddities(line));
          return out.list;
        }),
    };
  },
};

function shapeOf(line: JsonObject): string | null {
  if (isObject(line.task) && isObject(line.result)) {
    return isObject(line.task.context)
      ? 'lines with task.context and result, as strands-env 0.5 writes them'
      : 'lines with task and result, as strands-env writes them';
  }
  if (isObject(line.action) && isObject(line.step_result)) {
    return 'lines with action and step_result, as early strands-env wrote them';
  }
  return null;
}
