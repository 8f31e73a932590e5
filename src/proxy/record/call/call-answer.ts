import type { FailureInit } from '../../../../schemas/generated/step-event.ts';
import { type EngineAnswer, engineAnswerOf } from '../../../ingest/engines/engine-answer.ts';
import { requestSampling } from '../../../ingest/engines/request-sampling.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { Refused } from '../../../ingest/fields.ts';
import { jsonText, leftover, unlessEmpty } from '../../../ingest/json-text.ts';
import type { RecordedCall } from '../../journal/read-call.ts';
import type { WholeAnswer } from '../whole-answer/whole-answer.ts';
import { callError } from './call-error.ts';
import { withChoiceMeta } from './choice-meta.ts';
import type { Route } from './route.ts';
import { withSglextIds } from './sglext-ids.ts';

/** What came of one request, as far as an event holds it. */
export interface CallAnswer {
  readonly engine: EngineAnswer;
  readonly error: FailureInit | null;
  /** Why nobody can audit the call; null: it can be, or it failed. */
  readonly notAuditable: string | null;
  /** The assistant's message, where the route has messages. */
  readonly reply: JsonValue | undefined;
}

const PATHS = { request: 'request', response: 'response' };
const NOTHING: EngineAnswer = { call: {}, callId: null, prompt: null, extra: {} };
/** Told by messages and by the start; repeated in each request, they would make of n turns n² bytes. */
const TOLD = ['messages', 'tools', 'stream', 'stream_options', 'system', 'input', 'instructions'];

/** Never throws: an answer that cannot be read is a call too, with what was kept of it. */
export function callAnswer(
  recorded: RecordedCall,
  route: Route,
  request: JsonObject | null,
  whole: WholeAnswer,
  keptBytes: number,
): CallAnswer {
  const { answer } = whole;
  const error = callError(recorded, answer);
  const asked = request === null ? {} : (leftover(request, TOLD) ?? {});
  const unread = (why: string, kept: Extra): CallAnswer => ({
    engine: { ...NOTHING, call: askedCall(route, asked), extra: { ...kept, request: promptText(asked) } },
    error,
    notAuditable: error === null ? why : null,
    reply: undefined,
  });
  if (whole.unreadable !== null) {
    const { why, detail, kept } = whole.unreadable;
    return unread(why, { unreadable: detail, answer: kept });
  }
  if (answer === null) return unread('no_answer', {});
  if (route === 'other') return unread('other_route', { answer: keptOf(answer, keptBytes) });
  if (!isAnswer(answer)) return unread('unreadable_answer', { answer: keptOf(answer, keptBytes) });
  try {
    return read(engineOf(asked, withSglextIds(answer)), answer, error);
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    return unread('unreadable_answer', {
      unreadable: `${thrown.field}: ${thrown.message}`,
      answer: keptOf(answer, keptBytes),
    });
  }
}

type Extra = Readonly<Record<string, JsonValue | undefined>>;

/** As it is, or the beginning of its text. */
function keptOf(answer: JsonObject, keptBytes: number): JsonValue {
  const text = jsonText(answer);
  return text.length <= keptBytes ? answer : text.slice(0, keptBytes).toWellFormed();
}

function read(engine: EngineAnswer, answer: JsonObject, error: FailureInit | null): CallAnswer {
  const choice = Array.isArray(answer.choices) ? answer.choices[0] : undefined;
  const reply = isObject(choice) ? choice.message : undefined;
  const missing = engine.call.completion_ids === null || engine.call.completion_ids === undefined;
  const why = missing ? 'no_token_ids' : engine.prompt === null ? 'no_prompt_ids' : null;
  return { engine: withoutPromptText(engine), error, notAuditable: error === null ? why : null, reply };
}

/** Its ids say it, and only those that are new travel. */
function withoutPromptText(engine: EngineAnswer): EngineAnswer {
  const { request } = engine.extra;
  if (engine.prompt === null || !isObject(request)) return engine;
  return { ...engine, extra: { ...engine.extra, request: leftover(request, ['prompt', 'text']) } };
}

/** Logprobs that are no numbers (NaN, say) are no reason to lose the ids: they are kept beside them. */
function engineOf(request: JsonObject, answer: JsonObject): EngineAnswer {
  try {
    return withChoiceMeta(request, answer, PATHS) ?? engineAnswerOf(request, answer, PATHS);
  } catch (thrown) {
    if (!(thrown instanceof Refused) || !thrown.field.includes('logprobs')) throw thrown;
    const { cut, kept } = withoutLogprobs(answer);
    const engine = engineAnswerOf(request, cut, PATHS);
    return {
      ...engine,
      extra: { ...engine.extra, unsound_logprobs: kept, unreadable: `${thrown.field}: ${thrown.message}` },
    };
  }
}

/** Ids that stand only beside the logprobs are put in the place of ids. */
function withoutLogprobs(answer: JsonObject): { cut: JsonObject; kept: JsonValue } {
  const { choices, meta_info: meta } = answer;
  if (isObject(meta)) {
    const pairs = Array.isArray(meta.output_token_logprobs) ? meta.output_token_logprobs : [];
    const ids = pairs.map((pair) => (Array.isArray(pair) ? (pair[1] ?? null) : null));
    const rest = leftover(meta, ['output_token_logprobs', 'output_token_logprobs_length']) ?? {};
    return { cut: { ...answer, output_ids: answer.output_ids ?? ids, meta_info: rest }, kept: pairs };
  }
  const [first, ...others] = Array.isArray(choices) ? choices : [];
  const choice = isObject(first) ? first : {};
  const rest = leftover(choice, ['logprobs', 'meta_info']) ?? {};
  return { cut: { ...answer, choices: [rest, ...others] }, kept: choice.logprobs ?? choice.meta_info ?? null };
}

function isAnswer(answer: JsonObject): boolean {
  return Array.isArray(answer.choices) || answer.meta_info !== undefined || answer.output_ids !== undefined;
}

/** What a request says of its call, where no answer does. */
function askedCall(route: Route, request: JsonObject): EngineAnswer['call'] {
  const { model, sampling_params: params } = request;
  const named = route === 'generate' ? (isObject(params) ? params : {}) : (leftover(request, NO_SAMPLING) ?? {});
  return { model: typeof model === 'string' ? model : null, sampling: requestSampling(named) };
}

const NO_SAMPLING = ['model', 'prompt', 'input_ids', 'tool_choice', 'n', 'logprobs', 'top_logprobs'];

/** It stands nowhere else. */
function promptText(request: JsonObject): JsonObject | undefined {
  const { prompt, text } = request;
  return unlessEmpty({
    prompt: typeof prompt === 'string' ? prompt : undefined,
    text: typeof text === 'string' ? text : undefined,
  });
}
