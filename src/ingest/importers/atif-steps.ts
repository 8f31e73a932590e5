import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, idOrNull, objectAt, objectOrNull, textAt, textOrNull } from '../fields.ts';
import { asText, jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { sourceTime } from '../source-times.ts';
import { atifCall, withTokens } from './atif-call.ts';
import type { NamedDocument } from './atif-documents.ts';
import { referencesOf } from './atif-documents.ts';
import { type ReplyKeeping, replyKeeping } from './atif-raw-text.ts';
import { type AtifTokens, holesOf, type TokenArrays } from './atif-tokens.ts';

type Extra = Readonly<Record<string, JsonValue | undefined>>;

/** An agent within a rollout: the main one, over all its documents, or a sub-agent. */
export interface AtifSegment {
  readonly id: string;
  readonly pack: (arrays: TokenArrays) => AtifTokens;
  /** Ids of its next call that do not stand in the step; null: there are none. Told what the step has. */
  readonly detailOf: (own: TokenArrays | null) => TokenArrays | null;
  /** Last call that used a tool call id: ids repeat between turns. */
  readonly askedBy: Map<string, { readonly turn: number; readonly name: string | null }>;
}

/** What the steps of all segments share. */
export interface AtifWriter {
  readonly out: AttemptEvents;
  /** Model calls so far, over the whole attempt. */
  turns: number;
  /** Text of the last step of the main agent, if it said any. */
  finalText: string | null;
  /** Writes what a sub-agent did, where it is there. */
  follow(reference: JsonObject, document: NamedDocument, segment: AtifSegment): void;
}

const STEP_KEYS = ['source', 'message', 'timestamp', 'observation'];
const CALL_STEP_KEYS = [...STEP_KEYS, 'tool_calls', 'metrics', 'reasoning_content', 'model_name'];
const RESULT_KEYS = ['source_call_id', 'content'];

/** The steps of a document, in order. `about`: what its first event says of the document. */
export function addAtifSteps(
  writer: AtifWriter,
  document: NamedDocument,
  segment: AtifSegment,
  path: string,
  about: Extra | undefined,
): void {
  const { steps, agent } = document.value;
  const list = arrayAt(steps, `${path}steps`);
  const keeping = replyKeeping(objectOrNull(agent, `${path}agent`) ?? {}, list);
  const model = textOrNull(objectOrNull(agent, `${path}agent`)?.model_name, `${path}agent.model_name`);
  let first = about;
  for (const [i, item] of list.entries()) {
    const at = `${path}steps[${i}]`;
    const step = objectAt(item, at);
    const source = textAt(step.source, `${at}.source`);
    const made = { writer, document, segment, step, path: at, about: first };
    first = undefined;
    // A copy of what stands elsewhere was sampled there; and no model spoke where the source counts no call.
    const isCall = source === 'agent' && step.is_copied_context !== true && step.llm_call_count !== 0;
    if (isCall) addCall(made, keeping, model, i);
    else addMessage(made, source === 'agent' ? 'assistant' : source);
    addObservation(made);
  }
  if (first !== undefined) writer.out.add('message', NO_MESSAGE, first, { segmentId: segment.id });
}

/** What a document without steps is told by. */
const NO_MESSAGE = { message: { role: 'system', parts_json: 'null' } };

interface Made {
  readonly writer: AtifWriter;
  readonly document: NamedDocument;
  readonly segment: AtifSegment;
  readonly step: JsonObject;
  readonly path: string;
  readonly about: Extra | undefined;
}

function addCall(
  { writer, document, segment, step, path, about }: Made,
  keeping: ReplyKeeping,
  model: string | null,
  index: number,
): void {
  const { call, arrays, extra } = atifCall(step, path, keeping, model);
  const detail = segment.detailOf(arrays);
  const ids = arrays ?? detail;
  const tokens = ids === null ? null : segment.pack(ids);
  const turn = writer.turns++;
  for (const { call_id, name } of call.tool_calls ?? []) segment.askedBy.set(call_id, { turn, name: name ?? null });
  if (segment.id === 'main') writer.finalText = typeof step.message === 'string' ? step.message : null;
  const { place, times } = placeOf(step, segment);
  const observation = aboutObservation(step, path);
  const step_id = typeof step.step_id === 'number' ? step.step_id : index + 1;
  writer.out.add(
    'model_call',
    { model_call: { ...withTokens(call, tokens), call_id: `${document.name || 'step'}#${step_id}` } },
    { ...about, ...extra, ...holesOf(tokens), ...leftover(step, CALL_STEP_KEYS), observation, times },
    place,
  );
}

function addMessage({ writer, segment, step, path, about }: Made, role: string): void {
  const { place, times } = placeOf(step, segment);
  const extra = { ...about, ...leftover(step, STEP_KEYS), observation: aboutObservation(step, path), times };
  writer.out.add('message', { message: { role, parts_json: jsonText(step.message ?? null) } }, extra, place);
}

/** Results that name their call answer it; what names none was shown to the model as a turn of the user. */
function addObservation({ writer, document, segment, step, path }: Made): void {
  const isCopied = step.is_copied_context === true;
  const { place } = placeOf(step, segment);
  for (const [i, item] of resultsOf(step, path).entries()) {
    const at = `${path}.observation.results[${i}]`;
    const result = objectAt(item, at);
    if (!isCopied) for (const reference of referencesOf(result)) writer.follow(reference, document, segment);
    if (isBare(result)) continue;
    const { content } = result;
    const id = idOrNull(result.source_call_id, `${at}.source_call_id`);
    const extra = { ...leftover(result, RESULT_KEYS), is_copied_context: isCopied || undefined };
    if (id === null || isCopied) {
      const said = { role: id === null ? 'user' : 'tool', parts_json: jsonText(content ?? null) };
      const about = { ...extra, is_observation: true, source_call_id: id ?? undefined };
      writer.out.add('message', { message: said }, about, place);
      continue;
    }
    const asked = segment.askedBy.get(id);
    const output = content === undefined || content === null ? null : bytesOfText(asText(content));
    writer.out.add(
      'tool_result',
      { tool_result: { call_id: id, turn: asked?.turn ?? null, name: asked?.name ?? null, output } },
      // A text that looks like parts is none.
      { ...extra, output_in_parts: (output !== null && typeof content !== 'string') || undefined },
      place,
    );
  }
}

function resultsOf(step: JsonObject, path: string): readonly JsonValue[] {
  const observation = objectOrNull(step.observation, `${path}.observation`);
  return arrayOrNull(observation?.results, `${path}.observation.results`) ?? [];
}

/** Nothing was shown to anybody: it only says where a sub-agent's own document is. */
function isBare(result: JsonValue): boolean {
  return isObject(result) && (result.content ?? null) === null && (result.source_call_id ?? null) === null;
}

/** What the observation says besides its results, which is told with the step itself. */
function aboutObservation(step: JsonObject, path: string): JsonObject | undefined {
  const observation = objectOrNull(step.observation, `${path}.observation`);
  if (observation === null) return undefined;
  const results = resultsOf(step, path).filter(isBare);
  return unlessEmpty({ ...leftover(observation, ['results']), results: results.length > 0 ? results : undefined });
}

/** The time of a step is when it was written down: of a call neither begin nor end, so that no duration is made of it. */
function placeOf(step: JsonObject, segment: AtifSegment): { place: EventPlace; times: JsonObject | undefined } {
  const { us, note } = sourceTime(step.timestamp);
  const place = { segmentId: segment.id, startedAtUs: us };
  return { place, times: note === null ? undefined : { timestamp: step.timestamp ?? null, note } };
}
