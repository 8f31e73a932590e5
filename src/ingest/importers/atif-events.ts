import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { RawReasonInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayOrNull, objectOrNull } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import type { NamedDocument } from './atif-documents.ts';
import { replyParser } from './atif-raw-text.ts';
import type { AtifRollout } from './atif-rollouts.ts';
import {
  callsIn,
  createSegments,
  documentOf,
  embeddedIn,
  headerOf,
  nameOfReference,
  segmentName,
} from './atif-segments.ts';
import { type AtifSegment, type AtifWriter, addAtifSteps } from './atif-steps.ts';
import { holesOf, type RolloutDetails, rolloutDetails } from './atif-tokens.ts';
import { spanOf, type TrialPhase, trialFailure, trialPhases, trialReasons } from './harbor-trial.ts';
import { trialVerdict } from './harbor-verdict.ts';

const FORMAT = 'atif';

/** All events of one rollout: start, set-up, the steps of all its documents with those of sub-agents between them, end, verdict. */
export function addAtifEvents(out: AttemptEvents, rollout: AtifRollout, odd: JsonObject | undefined): void {
  const { trial } = rollout;
  const result = trial?.value ?? null;
  const path = trial === null ? '' : pathOf(trial);
  const phases = result === null ? [] : trialPhases(result, path);
  const details = rolloutDetails(detailsOf(result, path), `${path}agent_result.rollout_details`);
  addStart(out, rollout, result, odd);
  for (const phase of phases) if (isBefore(phase)) addPhase(out, phase);
  const said = addSteps(out, rollout, details);
  for (const phase of phases) if (phase.name === 'agent_execution') addPhase(out, phase);
  addEnd(out, rollout, details, said);
  if (result === null) return;
  const failure = trialFailure(result, path);
  for (const phase of phases) if (phase.name === 'verifier') addPhase(out, phase, true);
  out.addAfterEnd('verdict', { verdict: trialVerdict(result, path, failure) });
}

/** Where fields stand, for messages to people; a document that came alone needs no name. */
function pathOf({ name }: NamedDocument): string {
  return name === '' ? '' : `${name}: `;
}

function detailsOf(result: JsonObject | null, path: string): JsonValue | undefined {
  return objectOrNull(result?.agent_result, `${path}agent_result`)?.rollout_details;
}

/** What start and end hold of a trial, or what other events do. */
const TASK_KEYS = ['task_name', 'task_id', 'task_checksum', 'source'];
const TRIAL_KEYS = [
  'agent_result',
  'verifier_result',
  'environment_setup',
  'agent_setup',
  'agent_execution',
  'verifier',
];

function addStart(
  out: AttemptEvents,
  { documents, trial }: AtifRollout,
  result: JsonObject | null,
  odd: JsonObject | undefined,
): void {
  const [base] = documents;
  const agent = base === undefined ? {} : (objectOrNull(base.value.agent, `${pathOf(base)}agent`) ?? {});
  const tools = arrayOrNull(agent.tool_definitions, 'agent.tool_definitions');
  const header = base === undefined ? undefined : headerOf(base);
  const { place, times } = spanOf(result?.started_at, null);
  const task = result === null ? undefined : unlessEmpty(pick(result, TASK_KEYS));
  const rest = result === null ? undefined : leftover(result, [...TASK_KEYS, ...TRIAL_KEYS, 'exception_info']);
  out.add(
    'start',
    {
      start: {
        prompt: promptOf(base),
        task_metadata_json: task === undefined ? null : jsonText(task),
        tools_json: tools === null ? null : jsonText(tools),
      },
    },
    {
      tool_parser: replyParser(agent) ?? undefined,
      ...odd,
      trajectory:
        header && (tools === null ? header : { ...header, agent: leftover(agent, ['tool_definitions']) ?? {} }),
      trial: rest,
      trial_file: trial === null || trial.name === '' ? undefined : trial.name,
      times,
    },
    place,
  );
}

function pick(object: JsonObject, keys: readonly string[]): Record<string, JsonValue | undefined> {
  return Object.fromEntries(keys.map((key) => [key, object[key] ?? undefined]));
}

/** What the user said first. */
function promptOf(base: NamedDocument | undefined): Buffer | null {
  const steps = base?.value.steps;
  const first = Array.isArray(steps) ? steps.find((step) => isObject(step) && step.source === 'user') : null;
  return isObject(first) && typeof first.message === 'string' ? bytesOfText(first.message) : null;
}

function isBefore({ name }: TrialPhase): boolean {
  return name === 'environment_setup' || name === 'agent_setup';
}

function addPhase(out: AttemptEvents, { phase, name, place, times, rest }: TrialPhase, isAfter = false): void {
  const body = { phase: { phase, detail: name } };
  if (isAfter) out.addAfterEnd('phase', body, { ...rest, times }, place);
  else out.add('phase', body, { ...rest, times }, place);
}

interface Said {
  /** Text of the main agent's last step, if it said any. */
  readonly finalText: string | null;
  /** Documents of sub-agents that are not there. */
  readonly absent: readonly string[];
}

/** Writes the steps of all documents. */
function addSteps(out: AttemptEvents, rollout: AtifRollout, details: RolloutDetails): Said {
  const { documents, others } = rollout;
  const segments = createSegments(details);
  const done = new Set<JsonObject>();
  const absent: string[] = [];
  const writer: AtifWriter = {
    out,
    turns: 0,
    finalText: null,
    follow(reference, from, parent) {
      const document = documentOf(reference, from, documents, rollout);
      if (document !== null) addSubagent(document, parent.id);
      else absent.push(nameOfReference(reference, from));
    },
  };
  const main = segments.open('main', documents.length === 0 ? (details.callsOf(0) ?? 0) : sum(documents));

  function addSubagent(document: NamedDocument, parentId: string): void {
    if (done.has(document.value)) return;
    done.add(document.value);
    const segment = segments.open(segmentName(document), callsIn(document.value));
    const about = { parent_segment_id: parentId, document: headerOf(document) };
    addAtifSteps(writer, document, segment, pathOf(document), about);
    for (const within of embeddedIn(document)) addSubagent(within, segment.id);
  }

  if (documents.length === 0) addBareCalls(out, main, details);
  for (const { value } of documents) done.add(value);
  for (const [i, document] of documents.entries()) {
    const about = i === 0 ? undefined : { document: headerOf(document) };
    addAtifSteps(writer, document, main, pathOf(document), about);
  }
  // Those that no step refers to: when they worked nobody says.
  for (const document of documents.flatMap(embeddedIn)) addSubagent(document, 'main');
  for (const document of others) addSubagent(document, 'main');
  return { finalText: writer.finalText, absent };
}

function sum(documents: readonly NamedDocument[]): number {
  return documents.reduce((calls, { value }) => calls + callsIn(value), 0);
}

/** The agent wrote no trajectory, and its trial has the ids of its calls. */
function addBareCalls(out: AttemptEvents, main: AtifSegment, details: RolloutDetails): void {
  for (let call = 0; ; call++) {
    const arrays = main.detailOf(null);
    if (arrays === null || call >= (details.callsOf(0) ?? 0)) return;
    const tokens = main.pack(arrays);
    out.add('model_call', { model_call: { call_id: `call-${call}`, ...tokens.tokens } }, holesOf(tokens));
  }
}

function addEnd(out: AttemptEvents, rollout: AtifRollout, details: RolloutDetails, said: Said): void {
  const { finalText } = said;
  const { documents, missing, trial } = rollout;
  const result = trial?.value ?? null;
  const path = trial === null ? '' : pathOf(trial);
  const failure = result === null ? null : trialFailure(result, path);
  const reasons = result === null ? [ownReason(documents)] : trialReasons(result, failure);
  const absent = new Set(said.absent);
  for (const { name, part } of missing) {
    absent.add(name);
    const detail = part === 'base' ? `continues ${name}, which is not there` : `goes on in ${name}, which is not there`;
    reasons.push({ raw: `${part}_missing`, system: FORMAT, detail });
  }
  const agentResult = objectOrNull(result?.agent_result, `${path}agent_result`);
  const execution = objectOrNull(result?.agent_execution, `${path}agent_execution`);
  const { place, times } = spanOf(null, execution?.finished_at);
  out.add(
    'end',
    {
      end: {
        reasons,
        final_response: finalText === null ? null : bytesOfText(finalText),
        exception: failure?.where === 'loop' ? failure.failure : null,
      },
    },
    {
      missing_files: absent.size > 0 ? [...absent] : undefined,
      exception_info: result?.exception_info ?? undefined,
      agent_result: agentResult === null ? undefined : leftover(agentResult, ['rollout_details']),
      rollout_details: details.rest(),
      times,
    },
    place,
  );
}

/** The format has no field for why it ended; some writers say it in `extra`. Nothing is an empty value, which nobody maps. */
function ownReason(documents: readonly NamedDocument[]): RawReasonInit {
  const extra = documents.at(-1)?.value.extra;
  const stop = isObject(extra) ? extra.stop_reason : null;
  return { raw: typeof stop === 'string' ? stop : '', system: FORMAT, detail: null };
}
