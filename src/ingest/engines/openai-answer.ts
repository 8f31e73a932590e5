import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull } from '../fields.ts';
import { chatToolCalls } from '../importers/chat-tool-calls.ts';
import { chatUsage } from '../importers/chat-usage.ts';
import { leftover, unlessEmpty } from '../json-text.ts';
import type { AnswerPaths, EngineAnswer } from './engine-answer.ts';
import { idsOrNull, promptTokens } from './prompt-tokens.ts';
import { requestSampling } from './request-sampling.ts';
import { sampledTokens } from './sampled-tokens.ts';
import { finishReason } from './sglang-answer.ts';
import { weightSpans } from './weight-spans.ts';

const RESPONSE = ['id', 'model', 'choices', 'usage', 'prompt_token_ids', 'weight_version', 'weight_versions'];
const CHOICE = ['text', 'message', 'logprobs', 'finish_reason', 'token_ids', 'prompt_token_ids'];
/** Of a request, but no sampling: kept as it stands. */
const ASKED = [
  'model',
  'messages',
  'prompt',
  'input_ids',
  'tools',
  'tool_choice',
  'stream',
  'n',
  'logprobs',
  'top_logprobs',
];
const ID_MARK = 'token_id:';

/**
 * An answer of an OpenAI-compatible server. Of several choices the first is the call; the others are kept beside it: they
 * are samples of the same prompt that this rollout did not go on with.
 */
export function openaiAnswer(request: JsonObject, response: JsonObject, paths: AnswerPaths): EngineAnswer {
  const path = `${paths.response}.choices`;
  const [first, ...others] = arrayAt(response.choices, path);
  const choice = isObject(first) ? first : {};
  const { usage, rest: usageRest } = chatUsage(response.usage);
  const counted = others.length === 0 ? (usage?.completion_tokens ?? null) : null;
  const sampled = sampledOf(choice, `${path}[0]`, counted);
  const { disagreement } = sampled;
  const prompt = promptOf(request, response, choice, paths, usage?.prompt_tokens ?? null, disagreement);
  const versions = weightSpans(
    { ...(isObject(response.metadata) ? response.metadata : {}), ...response },
    sampled.ids === null ? null : sampled.ids.length / 4,
    disagreement,
  );
  const words = wordsOf(choice);
  const { id, model } = response;
  const sampling = leftover(request, ASKED);
  return {
    callId: typeof id === 'string' && id !== '' ? id : null,
    prompt,
    call: {
      model: typeof model === 'string' ? model : typeof request.model === 'string' ? request.model : null,
      completion_ids: sampled.ids,
      completion_logprobs: sampled.logprobs,
      weight_spans: versions.spans,
      raw_text: words.rawText === null ? null : bytesOfText(words.rawText),
      finish_reason: finishReason(choice.finish_reason),
      sampling: sampling === undefined ? null : requestSampling(sampling),
      usage,
      tool_calls: words.toolCalls,
    },
    extra: {
      ...versions.extra,
      message: words.message,
      tool_calls: words.keptCalls,
      text: words.oddText,
      logprobs: sampled.keptLogprobs,
      choice: isObject(first) ? leftover(choice, CHOICE) : first,
      choices: others.length > 0 ? others : undefined,
      usage: usageRest,
      response: unlessEmpty({
        ...leftover(response, RESPONSE),
        id: typeof id === 'string' ? undefined : id,
        model: typeof model === 'string' ? undefined : model,
      }),
      request: requestRest(request, response),
      missing_logprobs: sampled.missingLogprobs.length > 0 ? [...sampled.missingLogprobs] : undefined,
      disagreement: unlessEmpty(disagreement),
    },
  };
}

/** What of a request is neither sampling nor the prompt's ids. */
function requestRest(request: JsonObject, response: JsonObject): JsonObject | undefined {
  const rest: Record<string, JsonValue | undefined> = {};
  for (const name of ASKED) rest[name] = request[name];
  if (typeof rest.model === 'string' && (typeof response.model !== 'string' || rest.model === response.model)) {
    rest.model = undefined;
  }
  if (idsOrNull(rest.prompt) !== null && idsOrNull(rest.input_ids) === null) rest.prompt = undefined;
  if (idsOrNull(rest.input_ids) !== null) rest.input_ids = undefined;
  return unlessEmpty(rest);
}

function promptOf(
  request: JsonObject,
  response: JsonObject,
  choice: JsonObject,
  paths: AnswerPaths,
  counted: number | null,
  disagreement: JsonObject,
): Buffer | null {
  const isInput = idsOrNull(request.input_ids) !== null;
  const inChoice = choice.prompt_token_ids !== undefined && choice.prompt_token_ids !== null;
  const answeredField = inChoice
    ? `${paths.response}.choices[0].prompt_token_ids`
    : `${paths.response}.prompt_token_ids`;
  return promptTokens(
    {
      sent: idsOrNull(isInput ? request.input_ids : request.prompt),
      sentField: `${paths.request}.${isInput ? 'input_ids' : 'prompt'}`,
      answered: arrayOrNull(inChoice ? choice.prompt_token_ids : response.prompt_token_ids, answeredField),
      answeredField,
      counted,
    },
    disagreement,
  );
}

function sampledOf(choice: JsonObject, path: string, counted: number | null) {
  const told = logprobsOf(choice.logprobs);
  const given = arrayOrNull(choice.token_ids, `${path}.token_ids`);
  const named = told.ids?.every((id) => id !== null) ? told.ids : null;
  const sampled = sampledTokens({
    ids: given ?? named,
    idsField: given === null ? `${path}.logprobs` : `${path}.token_ids`,
    logprobs: told.logprobs,
    logprobsField: `${path}.logprobs`,
    idsOfLogprobs: told.ids,
    counted,
  });
  // Without ids nobody can tell which tokens they are of.
  return { ...sampled, keptLogprobs: sampled.ids === null ? (choice.logprobs ?? undefined) : told.rest };
}

/** By token with its text, or (completions) as parallel arrays. vLLM may write the id in the place of the text. */
function logprobsOf(value: JsonValue | undefined): {
  logprobs: JsonValue[] | null;
  ids: JsonValue[] | null;
  rest: JsonValue | undefined;
} {
  if (!isObject(value)) return { logprobs: null, ids: null, rest: value ?? undefined };
  const { content, tokens, token_logprobs } = value;
  if (Array.isArray(content)) {
    const entries = content.map((entry) => (isObject(entry) ? entry : {}));
    return {
      logprobs: entries.map((entry) => entry.logprob ?? null),
      ids: entries.map((entry) => idOf(entry.token) ?? entry.token_id ?? null),
      rest: value,
    };
  }
  if (!Array.isArray(tokens) || !Array.isArray(token_logprobs)) return { logprobs: null, ids: null, rest: value };
  return { logprobs: token_logprobs, ids: tokens.map(idOf), rest: leftover(value, ['token_logprobs']) };
}

function idOf(token: JsonValue | undefined): number | null {
  if (typeof token !== 'string' || !token.startsWith(ID_MARK)) return null;
  const digits = token.slice(ID_MARK.length);
  return /^\d{1,10}$/.test(digits) ? Number(digits) : null;
}

interface Words {
  readonly rawText: string | null;
  readonly toolCalls: ReturnType<typeof chatToolCalls>['calls'];
  readonly keptCalls: JsonValue | undefined;
  readonly message: JsonValue | undefined;
  readonly oddText: JsonValue | undefined;
}

/** Text is raw only where no parser of the server took calls or reasoning out of it. */
function wordsOf({ message, text }: JsonObject): Words {
  const oddText = typeof text === 'string' || text === null ? undefined : text;
  if (!isObject(message)) {
    const rawText = typeof text === 'string' ? text : null;
    return { rawText, toolCalls: [], keptCalls: undefined, message: message ?? undefined, oddText };
  }
  const { calls, kept } = chatToolCalls(message.tool_calls);
  const parsed = [message.reasoning_content, message.reasoning, message.function_call];
  const isRaw = calls.length === 0 && kept === undefined && parsed.every((part) => part === undefined || part === null);
  if (isRaw && typeof message.content === 'string') {
    const rest = leftover(message, ['role', 'content', 'tool_calls']);
    const isAssistant = message.role === 'assistant' || message.role === undefined;
    const kept = isAssistant ? rest : { ...rest, role: message.role ?? null };
    return { rawText: message.content, toolCalls: [], keptCalls: undefined, message: kept, oddText };
  }
  const rest = kept === undefined ? leftover(message, ['tool_calls']) : message;
  return { rawText: null, toolCalls: calls, keptCalls: undefined, message: rest, oddText };
}
