import { randomUUID } from 'node:crypto';
import { RollstreamError } from '../../errors.ts';
import { isObject } from '../../server/request-value.ts';
import { type Asked, RefusedRequest } from './asked.ts';
import {
  type Body,
  flagField,
  idsField,
  objectField,
  refuseSeveral,
  textField,
  textsField,
  wholeField,
} from './body-fields.ts';
import { templateMessages } from './template-messages.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface RequestFacts {
  readonly route: Asked['route'];
  readonly dialect: Asked['dialect'];
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly model: string;
}

/** What `/generate` and `/v1/completions` sample at most where the client says nothing. */
const GENERATE_TOKENS = 128;
const COMPLETION_TOKENS = 16;
export const CONTEXT_TOKENS = 131_072;

/** Throws a RefusedRequest. */
export async function readAsked(facts: RequestFacts, vocabulary: Vocabulary): Promise<Asked> {
  const { route, body } = facts;
  const asked =
    route === 'generate'
      ? readGenerate(facts, vocabulary)
      : route === 'chat'
        ? await readChat(facts, vocabulary)
        : readCompletions(facts, vocabulary);
  if (asked.promptIds.length === 0) throw new RefusedRequest(400, 'BadRequestError', 'the prompt is empty');
  if (asked.promptIds.length >= CONTEXT_TOKENS) {
    const message = `The input (${asked.promptIds.length} tokens) is longer than the model's context length (${CONTEXT_TOKENS} tokens).`;
    throw new RefusedRequest(400, 'BadRequestError', message);
  }
  refuseSeveral(route === 'generate' ? objectField(body, 'sampling_params') : body);
  return asked;
}

function readGenerate({ body, model }: RequestFacts, vocabulary: Vocabulary): Asked {
  const params = objectField(body, 'sampling_params');
  const sent = idsField(body, 'input_ids', vocabulary.has);
  const text = textField(body, 'text');
  if (sent === null && text === null) throw new RefusedRequest(400, 'BadRequestError', 'input_ids or text is needed');
  const start = body.logprob_start_len;
  return {
    route: 'generate',
    dialect: 'sglang',
    stream: flagField(body, 'stream'),
    promptIds: sent ?? vocabulary.encode(text ?? ''),
    promptSentAsIds: sent !== null,
    messages: null,
    parsesCalls: false,
    toolNames: [],
    maxTokens: wholeField(params, 'max_new_tokens', 0) ?? GENERATE_TOKENS,
    ...stopsOf(params, vocabulary),
    logprobs: flagField(body, 'return_logprob') ? (wholeField(body, 'top_logprobs_num', 0) ?? 0) : null,
    logprobStart: typeof start === 'number' && Number.isInteger(start) ? start : -1,
    textInLogprobs: flagField(body, 'return_text_in_logprobs'),
    tokensAsIds: false,
    returnTokenIds: true,
    returnPromptIds: flagField(body, 'return_prompt_token_ids'),
    returnMetaInfo: true,
    extInputIds: false,
    extOutputIds: false,
    includeUsage: false,
    model,
    requestId: textField(body, 'rid') ?? randomUUID().replaceAll('-', ''),
  };
}

async function readChat(facts: RequestFacts, vocabulary: Vocabulary): Promise<Asked> {
  const { body, dialect, headers } = facts;
  const { messages, tools } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RefusedRequest(400, 'BadRequestError', 'messages: expected a list with at least one');
  const stream = flagField(body, 'stream');
  if (stream && dialect === 'sglang') refuseStreamed(body);
  const offered: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const text = await rendered(messages, offered, facts, vocabulary);
  const wantsExt = (name: 'return_input_ids' | 'return_output_ids'): boolean =>
    dialect === 'sglang' &&
    (flagField(body, `${name}_in_sglext`) || headers[`x-sglext-${name.replaceAll('_', '-')}`] === '1');
  return {
    route: 'chat',
    ...openAiOf(facts, 'chatcmpl', vocabulary),
    stream,
    promptIds: vocabulary.encode(text),
    promptSentAsIds: false,
    messages,
    parsesCalls: offered.length > 0 && body.tool_choice !== 'none',
    toolNames: offered.flatMap((tool) =>
      isObject(tool) && isObject(tool.function) && typeof tool.function.name === 'string' ? [tool.function.name] : [],
    ),
    maxTokens: wholeField(body, 'max_completion_tokens', 0) ?? wholeField(body, 'max_tokens', 0),
    logprobs: flagField(body, 'logprobs') ? (wholeField(body, 'top_logprobs', 0) ?? 0) : null,
    returnPromptIds: flagField(body, 'return_prompt_token_ids'),
    returnMetaInfo: flagField(body, 'return_meta_info'),
    extInputIds: wantsExt('return_input_ids'),
    extOutputIds: wantsExt('return_output_ids'),
  };
}

function readCompletions(facts: RequestFacts, vocabulary: Vocabulary): Asked {
  const { body } = facts;
  const { prompt } = body;
  const text = typeof prompt === 'string' ? prompt : null;
  const sent = text === null ? idsField(body, 'prompt', vocabulary.has) : null;
  return {
    route: 'completions',
    ...openAiOf(facts, 'cmpl', vocabulary),
    stream: flagField(body, 'stream'),
    promptIds: sent ?? vocabulary.encode(text ?? ''),
    promptSentAsIds: sent !== null,
    messages: null,
    parsesCalls: false,
    toolNames: [],
    maxTokens: wholeField(body, 'max_tokens', 0) ?? COMPLETION_TOKENS,
    logprobs: wholeField(body, 'logprobs', 0),
    returnPromptIds: false,
    returnMetaInfo: false,
    extInputIds: false,
    extOutputIds: false,
  };
}

/** What both OpenAI routes read alike. */
function openAiOf({ body, dialect, headers, model }: RequestFacts, prefix: string, vocabulary: Vocabulary) {
  const header = headers['x-request-id'];
  const given = dialect === 'sglang' ? textField(body, 'rid') : (textField(body, 'request_id') ?? header);
  const id = typeof given === 'string' && given !== '' ? given : randomUUID().replaceAll('-', '');
  return {
    dialect,
    ...stopsOf(body, vocabulary),
    logprobStart: -1,
    textInLogprobs: true,
    tokensAsIds: dialect === 'vllm' && flagField(body, 'return_tokens_as_token_ids'),
    returnTokenIds: flagField(body, 'return_token_ids'),
    includeUsage: flagField(objectField(body, 'stream_options'), 'include_usage'),
    model: textField(body, 'model') ?? model,
    requestId: dialect === 'sglang' ? id : `${prefix}-${id}`,
  };
}

function stopsOf(params: Body, vocabulary: Vocabulary) {
  return {
    stopTexts: textsField(params, 'stop'),
    stopIds: idsField(params, 'stop_token_ids', vocabulary.has) ?? [],
    skipSpecialTokens: params.skip_special_tokens !== false,
    keepsStop: params.no_stop_trim === true || params.include_stop_str_in_output === true,
  };
}

function refuseStreamed(body: Body): void {
  for (const [field, where] of [
    ['return_prompt_token_ids', ''],
    ['return_token_ids', ' on /v1/chat/completions'],
    ['return_meta_info', ''],
  ] as const) {
    if (!flagField(body, field)) continue;
    const message = `${field} is not supported with streaming${where}. Please set stream=false when using ${field}=true.`;
    throw new RefusedRequest(400, 'BadRequestError', message);
  }
}

async function rendered(
  messages: readonly unknown[],
  tools: readonly unknown[],
  { body, dialect }: RequestFacts,
  vocabulary: Vocabulary,
): Promise<string> {
  const vars = objectField(body, 'chat_template_kwargs');
  const addGenerationPrompt = body.add_generation_prompt !== false;
  try {
    return await vocabulary.render({ messages: templateMessages(messages, dialect), tools, vars, addGenerationPrompt });
  } catch (error) {
    if (error instanceof RollstreamError) throw new RefusedRequest(400, 'BadRequestError', error.message);
    throw error;
  }
}
