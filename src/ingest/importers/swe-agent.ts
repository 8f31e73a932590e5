import { createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { isObject, type JsonValue } from '../exact-number.ts';
import { type Importer, oddities, refusable } from '../importer.ts';
import { addSweEvents } from './swe-agent-events.ts';
import { sweRuns, sweTask } from './swe-agent-record.ts';

const FORMAT = 'swe-agent';

/** `.traj` documents of SWE-agent. */
export const sweAgent: Importer = {
  name: FORMAT,

  detect(first) {
    const found = first.some(
      (document) => isRun(document) || (Array.isArray(document.attempts) && document.attempts.some(isRun)),
    );
    return found ? { score: 0.9, why: 'a trajectory of actions and observations, as SWE-agent writes it' } : null;
  },

  open(context) {
    return {
      take: (line) =>
        refusable(() => {
          const hash = line.sha256.slice(0, 12);
          return sweRuns(line.value).flatMap((run, i) => {
            const task = sweTask(run).id;
            // Many runs of one task have its id: the document's hash tells them apart.
            const rolloutId = `${task === null ? line.sha256 : `${task}.${hash}`}${run.suffix}`;
            const identity = attemptIdentity(context, { rolloutId, taskId: task, envName: FORMAT });
            const out = createAttemptEvents(identity, { format: FORMAT, location: line.location }, line.sha256);
            addSweEvents(out, run, line.location, i === 0 ? oddities(line) : undefined);
            return out.list;
          });
        }),
    };
  },
};

function isRun(value: JsonValue): boolean {
  if (!isObject(value) || !Array.isArray(value.trajectory)) return false;
  const [step] = value.trajectory;
  const isStep = isObject(step) && 'action' in step && 'observation' in step;
  return isStep || (step === undefined && isObject(value.info) && 'exit_status' in value.info && 'history' in value);
}
