import { type AttemptEvents, createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import { isObject, type JsonObject } from '../exact-number.ts';
import { idOrNull, Refused, textOrNull } from '../fields.ts';
import { ARRAY, type ImportContext, type Importer, oddities, type ParsedLine, refusable } from '../importer.ts';
import { atifCompanions } from './atif-companions.ts';
import { digestOf } from './atif-digest.ts';
import { isAtif, isTrial } from './atif-documents.ts';
import { addAtifEvents } from './atif-events.ts';
import { type AtifRollout, atifRollouts } from './atif-rollouts.ts';
import { jobOf } from './harbor-trial.ts';

const FORMAT = 'atif';

/** ATIF trajectories with their continuations and sub-agents, and the `result.json` of the Harbor trial that they are of. */
export const atif: Importer = {
  name: FORMAT,

  detect(first) {
    const all = first.flatMap((value) => (Array.isArray(value[ARRAY]) ? value[ARRAY].slice(0, 8) : [value]));
    const version = all.map((value) => (isObject(value) && isAtif(value) ? value.schema_version : null)).find(Boolean);
    if (typeof version === 'string') return { score: 0.95, why: `schema_version ${version.slice(0, 20)}` };
    return all.some(isTrial) ? { score: 0.9, why: 'trial_name and task_name, as a trial of Harbor has them' } : null;
  },

  together: atifCompanions,

  open(context) {
    const lineId = createLineIds();
    return {
      take: (line) =>
        refusable(() => {
          const rollouts = atifRollouts(line.value);
          if (rollouts.length === 0) throw new Refused('', 'a document of ATIF or a trial of Harbor', 'neither');
          return rollouts.flatMap((rollout) => eventsOf(rollout, line, context, lineId).list);
        }),
    };
  },
};

function eventsOf(
  rollout: AtifRollout,
  line: ParsedLine,
  context: ImportContext,
  lineId: (sha256: string) => string,
): AttemptEvents {
  const trial = rollout.trial?.value ?? null;
  const rolloutId = trial === null ? idOfDocument(rollout, lineId) : idOfTrial(rollout, lineId);
  const env = textOrNull(trial?.source, 'source');
  // Several trials of a task may have been sampled for one prompt, or not: the source does not say, so there is no group.
  const identity = attemptIdentity(
    { ...context, runId: runOf(trial, context) },
    { rolloutId, taskId: idOrNull(trial?.task_name, 'task_name'), envName: env === null || env === '' ? FORMAT : env },
  );
  const source = { format: FORMAT, version: versionOf(rollout), location: line.location };
  // A record that holds several rollouts is none of theirs: ids of events must not depend on what lies beside them.
  const sha256 = rollout.isWhole ? line.sha256 : contentHash(rollout);
  const out = createAttemptEvents(identity, source, sha256);
  addAtifEvents(out, rollout, oddities(line));
  return out;
}

/** A trial is of its job: the folder that holds its files is called `agent`, or like the trial. What the user says goes first. */
function runOf(trial: JsonObject | null, { runId, overrides }: ImportContext): string {
  return overrides.run_id !== undefined || trial === null ? runId : (jobOf(trial) ?? runId);
}

function idOfTrial({ trial, documents }: AtifRollout, lineId: (sha256: string) => string): string {
  const value = trial?.value;
  const id = idOrNull(value?.id, 'id') ?? idOrNull(value?.trial_name, 'trial_name');
  return id ?? lineId(digestOf(value ?? documents[0]?.value ?? null));
}

/** Sessions are shared by files (copies, retries, continuations of others): the content of the first document tells them apart. */
function idOfDocument({ documents }: AtifRollout, lineId: (sha256: string) => string): string {
  const [base] = documents;
  const id = idOrNull(base?.value.trajectory_id, 'trajectory_id');
  if (id !== null) return id;
  const session = idOrNull(base?.value.session_id, 'session_id');
  const sha256 = digestOf(base?.value ?? null);
  return session === null ? lineId(sha256) : `${session}.${sha256.slice(0, 12)}`;
}

function versionOf({ documents, trial }: AtifRollout): string {
  const version = documents[0]?.value.schema_version;
  if (typeof version === 'string') return version.replace(/^ATIF-/, '').slice(0, 40);
  return trial === null ? '' : 'harbor';
}

function contentHash({ documents, others, trial }: AtifRollout): string {
  const all = [...documents, ...others, ...(trial === null ? [] : [trial])];
  return digestOf(all.map(({ name, value }) => [name, value]));
}
