import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ToolCallInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, idOrNull, objectAt, objectOrNull, textOrNull } from '../fields.ts';
import { asText, jsonText, unlessEmpty } from '../json-text.ts';
import { failureText, nemoReasons, nemoVerdict } from './nemo-end.ts';
import { addNemoStart } from './nemo-start.ts';
import { itemText, type NemoItem, type NemoStep, nemoSteps } from './nemo-steps.ts';
import { createPrefixes, type NemoTokens } from './nemo-tokens.ts';
import { references } from './references.ts';

/** All events of one row, in order: start, input, calls and tool results as output gives them, end, verdict. */
export function addNemoEvents(
  out: AttemptEvents,
  line: JsonObject,
  location: string,
  odd: JsonObject | undefined,
): void {
  const { responses_create_params, response, verifier_metadata } = line;
  const failed = line._ng_failure_class !== undefined && line._ng_failure_class !== null;
  const params = objectOrNull(responses_create_params, 'responses_create_params') ?? {};
  // A row that failed early has no response at all; a row that did not fail has one.
  const answer = failed ? (objectOrNull(response, 'response') ?? {}) : objectAt(response, 'response');
  const output = failed
    ? (arrayOrNull(answer.output, 'response.output') ?? [])
    : arrayAt(answer.output, 'response.output');
  addNemoStart(out, params, answer, verifier_metadata, odd);
  addSteps(out, nemoSteps(output, 'response.output'), answer, location);
  addEnd(out, line, answer, output);
}

function addSteps(out: AttemptEvents, steps: readonly NemoStep[], answer: JsonObject, location: string): void {
  const prefixOf = createPrefixes();
  const model = typeof answer.model === 'string' ? answer.model : null;
  const askedBy = new Map<string, { turn: number; name: string | null }>();
  let turn = 0;
  for (const step of steps) {
    if (step.kind === 'call') {
      const calls = step.items.flatMap(({ value, path }) => toolCall(value, path));
      for (const call of calls) askedBy.set(call.call_id, { turn, name: call.name ?? null });
      addCall(out, step.items, step.tokensOn && prefixOf(step.tokensOn), { turn: turn++, model, calls, location });
    } else if (step.kind === 'result') addResult(out, step.item, askedBy);
    else {
      const { role, content, ...rest } = step.item.value;
      const parts_json = jsonText(content ?? null);
      out.add('message', { message: { role: typeof role === 'string' ? role : 'unknown', parts_json } }, rest);
    }
  }
}

interface CallContext {
  readonly turn: number;
  readonly model: string | null;
  readonly calls: ToolCallInit[];
  readonly location: string;
}

function addCall(
  out: AttemptEvents,
  items: readonly NemoItem[],
  tokens: NemoTokens | null,
  context: CallContext,
): void {
  const last = items.at(-1)?.value;
  const experts = references(last?.routed_experts, `${context.location}#${items.at(-1)?.path}`, 'routed_experts')?.[0];
  out.add(
    'model_call',
    {
      model_call: {
        call_id: typeof last?.id === 'string' && last.id !== '' ? last.id : `call-${context.turn}`,
        model: context.model,
        ...tokens?.tokens,
        tool_calls: context.calls,
        aux_ref: experts ? { name: 'routed_experts', uri: experts.uri, sha256: experts.sha256, dtype: 'int32' } : null,
      },
    },
    {
      // Reasoning, text and calls as the server's parser split them: there is no text from before it.
      items: items.map(({ value }) => withoutTokens(value)),
      missing_logprobs: tokens?.missingLogprobs.length ? [...tokens.missingLogprobs] : undefined,
    },
  );
}

function withoutTokens(item: JsonObject): JsonObject {
  const {
    prompt_token_ids: _prompt,
    generation_token_ids: _ids,
    generation_log_probs: _logprobs,
    routed_experts: _experts,
    ...rest
  } = item;
  return rest;
}

function toolCall(item: JsonObject, path: string): ToolCallInit[] {
  const { type, call_id, id, name, arguments: written } = item;
  if (type !== 'function_call') return [];
  return [
    {
      call_id: idOrNull(call_id, `${path}.call_id`) ?? idOrNull(id, `${path}.id`) ?? '',
      name: textOrNull(name, `${path}.name`),
      arguments_raw: typeof written === 'string' ? bytesOfText(written) : null,
      arguments_parsed: typeof written === 'string' || written === undefined ? null : jsonText(written),
    },
  ];
}

function addResult(
  out: AttemptEvents,
  item: NemoItem,
  askedBy: ReadonlyMap<string, { turn: number; name: string | null }>,
) {
  const { call_id, output, type: _type, ...rest } = item.value;
  const id = idOrNull(call_id, `${item.path}.call_id`) ?? '';
  const asked = askedBy.get(id);
  out.add(
    'tool_result',
    {
      tool_result: {
        call_id: id,
        turn: asked?.turn ?? null,
        name: asked?.name ?? null,
        output: bytesOfText(asText(output ?? null)),
      },
    },
    { ...rest, type: _type === 'function_call_output' ? undefined : _type },
  );
}

/** Fields that say how the row ended; all others that the mapping does not name are the verifier's report. */
const END_FIELDS = ['truncated', 'terminated', 'mask_sample', 'agent_error_kind', 'agent_ref', 'skills_ref', 'error'];

function addEnd(out: AttemptEvents, line: JsonObject, answer: JsonObject, output: readonly JsonValue[]): void {
  const { responses_create_params: _params, response, verifier_metadata: _metadata, ...rest } = line;
  const report: Record<string, JsonValue | undefined> = {};
  const ending: Record<string, JsonValue | undefined> = {};
  for (const [key, value] of Object.entries(rest)) {
    (END_FIELDS.includes(key) || key.startsWith('_ng_') ? ending : report)[key] = value;
  }
  const { output: _output, ...answerRest } = answer;
  const failure = typeof line._ng_failure_class === 'string' ? line._ng_failure_class : null;
  const last = output.at(-1);
  const text = isObject(last) && last.type === 'message' ? itemText(last) : null;
  out.add(
    'end',
    {
      end: {
        reasons: nemoReasons(line, answer, output),
        final_response: text === null ? null : bytesOfText(text),
        exception: failure === null ? null : { type: failure, message: failureText(line) },
      },
    },
    { ...ending, response: isObject(response) ? unlessEmpty(answerRest) : response },
  );
  const kept = unlessEmpty(report);
  out.addAfterEnd('verdict', { verdict: nemoVerdict(line, kept === undefined ? null : jsonText(kept)) });
}
